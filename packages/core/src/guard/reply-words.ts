import { once } from "../once.ts";

/**
 * Ordinary words of replies: those of RFC 959, RFC 3977, RFC 4643 and RFC 9110, and those that the servers of docs/servers.md use for
 * logins, files, limits and faults; and the options of Telnet.
 */
const WORDS = `
a abort aborted aborting about accept acceptable accepted access account accounts action active additional address addresses after
again all allocated allocation allow allowed already also alternate an and anonymous another any anything append are argument arguments
article articles as ascii ask asked at attempt attempts auth authenticate authenticated authentication authinfo authorisation
authorised authorization authorized available away back bad banned basic be because become been before begin begins being bit block
body both broken busy but by bye byte bytes came can cannot can't capability capabilities change changed changes changing character
characters charset check clear client clients close closed closes closing code coding command commands complete completed completely
conflict connect connected connection connections contact content contents continue control could couldn't created current currently
cwd data date day days dead deadlock delete deleted denied deny description destination did didn't different digest directories
directory disabled disconnected disk do document documents does doesn't done don't down due early element empty enable enabled end ended
ending ends english enough enter entering entity entries entry epsv error errors established exceeded exceeds existing exist exists
expectation expected expired extended failed failing fails failure false fatal features field fields file filename files filesystem
filter find first follows for forbidden format forward found from full function further gateway get gets give given go gone good
goodbye got gone granted group groups guest had has have he head header headers hello help here home host hosts hour hours however
i id identified idle if ignored illegal image implemented implemented in incoming incomplete incorrect information initiated input
insufficient interim internal into invalid invalidated is issue it its item items just keep key kind know known large last later least
left length less like limit limited limits line lines link links list listed listing local locally locked log logged login logins
logon logout long longer lookup lost made maintenance make many match matched matches maximum may maybe me mean means media medium
member memory message messages method methods min minute minutes missing mode modified more most moved multi multiple must my
name named names need needed needs negotiate negotiation network new news newsgroup next nntp no nobody non none nonexistent noop
not nothing now number numbers object obsolete octet octets of off offline offset ok okay old on once one only open opened
opening operation option optional options or order other our out outside over overflow overloaded overview own packet page
parameter parameters part partial parts pass passive password passwords path pathname payload pending per perform performed perhaps
period permanent permission permissions permitted phrase please point policy port possible post posted posting precondition preceding
present previous private process processing program prohibited proceed protocol provide provided proxy public quit quota range
rate reach reached read reader reading ready reason receive received record records recognised recognized redirect refuse refused
refuses rejected release remote remove removed rename renamed replies reply request requested requests require required requires
reset resource resources response responses rest restart restarting restricted result results resume retrieve retrieved retry
return returned right root running said same search second seconds section secure security see select selected send sending sends
sent sequence serve served server servers service session sessions set several shall should shut shutdown shutting simultaneous
since size slow so some something soon sorry space specified specify start started starting starts state status still stop
stopped storage store stored stream string subdirectory subject subsystem success successful successfully such super support
supported supposed switching syntax system table take taken tells temporarily temporary terminated text than thank thanks that
the their them then there these they this those though through time timed timeout timeouts times tls to today together told too
total transaction transfer transferred transferring transfers tried true try trying two type types unable unacceptable unauthorised
unauthorized unavailable under understood unexpected unfinished unimplemented universal unknown unprocessable unrecognised
unrecognized unsupported until up upgrade upload uploaded uri url usage use used user username users using valid value values
variant verify version very via wait waiting want wanted wants was way we welcome well went were what when where which while who
whole will wish with within without word words working would write writing wrong yet you your yourself
file(s) user(s) connection(s) byte(s) line(s) second(s) minute(s) hour(s) article(s)
http/1.0 http/1.1 ftp telnet gopher gopher+ wais prospero binary utf-8 utf8 i/o eof login/password username/password
cdup dele eprt feat list mdtm mkd mlsd mlst nlst pasv pbsz prot pwd quit retr rmd rnfr rnto site size stat stor stou syst type user
wont dont echo encrypt environ linemode naws new-environ remote-flow-control suppress-go-ahead terminal-speed terminal-type timing-mark
x-display-location
acct authinfo over xover list newsgroups hdr stat capabilities starttls
`;

const words = once(() => new Set(WORDS.trim().split(/\s+/)));

/** A status or reply code, and the six numbers of a reply to PASV. */
const NUMBERS = /^(?:[1-5]\d\d-?|\(?\d{1,3}(?:,\d{1,3}){5}\)?\.?)$/;
const PUNCTUATION = /^["'(<[]?(.*?)["')>\],.;:!?]{0,3}$/s;
const MASKED = "****";

/**
 * A text of a server in ordinary words: every other one is masked, runs of them together. What is shown depends on the text alone, and
 * never on a secret.
 */
export function ordinaryWords(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/\S+/g, (token) => (isOrdinary(token) ? token : MASKED))
    .replace(/\*{4}(?: \*{4})+/g, MASKED);
}

function isOrdinary(token: string): boolean {
  if (NUMBERS.test(token) || /^[-–:|/.…]$/.test(token)) return true;
  const core = (PUNCTUATION.exec(token)?.[1] ?? token).toLowerCase();
  return (
    words().has(core) ||
    (core.includes("-") && core.split("-").every((part) => words().has(part) || NUMBERS.test(part)))
  );
}
