/**
 * Common words of server replies, which messages show unmasked. The words come from RFC 959, RFC 2228, RFC 3977, RFC
 * 4643, RFC 9110, the servers of docs/server-differences.md, and the names of the Telnet options.
 */
const COMMON_REPLY_WORDS_TEXT = `
a abort aborted aborting about accept acceptable accepted access account accounts action active actively additional address
addresses administrator after again all allocated allocation allow allowed already also alternate always an and anonymous another
any anything append applies apply are aren't argument arguments arranged article articles as ascii ask asked at attempt attempts
auth authenticate authenticated authentication authinfo authorisation authorised authoritative authorization authorized available
away back backend bad bandwidth banned basic be because become been before begin begins being bit block blocked body both broken
build busy but by bye byte bytes came can can't cannot capabilities capability change changed changes changing channel character
characters charset check choices clear cleartext client clients close closed closes closing code coding command commands comments
complete completed completely conflict connect connected connecting connection connections contact content contents continue control
could couldn't create created creating current currently cwd data dataset date day days dead deadlock delete deleted denied deny
dependency description descriptions destination detected device did didn't different digest direct directories directory disabled
disconnected disk do document documents does doesn't don't done down downloaded due duplicate e.g early element email empty enable
enabled encryption end ended ending ends english enough enter entering entity entries entry epsv error errors establish established
exceeded exceeds exist existence existing exists expectation expected expired extended failed failing fails failure failures false
fatal fault feature features fetch field fields file filename files filesystem filter find first flushed follow following follows
for forbidden form format forward found from full function further gateway get gets give given go gone good goodbye got granted
group groups guest had handle has have he head header headers hello help here hints home host hostname hosts hour hours however i
i'm id identified identifying idle if ignored illegal im image implemented in inaccessible inactivity incoming incomplete incorrect
information initiate initiated input inside insufficient interim internal into invalid invalidated ip ipv4 ipv6 is issue issued it
item items its just kbytes keep key kind know known large last later least left legal length less level levels like limit limited
limits line lines link links list listed listing load local locally location locked log logged login logins logon logout long longer
lookup loop lost made mailbox maintenance make many marker match matched matches maximum may maybe me mean means mechanism media
medium member memory message messages metadata method methods min minute minutes misdirected missing mode modification modified more
most moved multi multiple must my name named names necessary need needed needs negotiate negotiates negotiation network new news
newsgroup next nntp no nobody node non none nonexistent noop not nothing now number numbers object obsolete octet octets of off
offline offset ok okay old on once one only oops open opened opening operation option optional options or order other our out
outside over overflow overloaded overview own packet page parameter parameters part partial parts pass passive passphrase password
passwords path pathname payload payment pending per perform performed perhaps period permanent permanently permission permissions
permitted person phrase plain please point policy port possible post posted posting preceding precondition present preventing
previous privacy private privileges problem proceed process processing program progress prohibited protocol protocols provide
provided proxy public quit quota range rate reach reached read reader reading ready reason reasons reauthentication receive received
recognised recognized record records redirect refuse refused refuses refusing regular rejected release remote remove removed rename
renamed replies reply reported request requested requests require required requires reset resource resources response responses rest
restart restarting restricted restriction restrictions result results resume retrievable retrieve retrieved retry return returned
reuse right root run running said same satisfiable search second seconds section secure security see select selected send sending
sends sent separately sequence serve served server servers service session sessions set several shall should shut shutdown shutting
simultaneous since size slow so some something soon sorry space specified specify ssl start started starting starts state status
still stop stopped storage store stored storing stream string stronger structure subdirectory subject subscriber subscription
subsystem succeeded success successful successfully such suitable super superfluous support supported supposed suspended switching
symbolic syntax system table take taken talk tell tells temporarily temporary terminated text than thank thanks that the their them
then there these they this those though through time timed timeout timeouts times tls to today together token told too total
transaction transfer transferred transferring transfers tried true trust try trying two type types unable unacceptable unauthorised
unauthorized unavailable under understood unexpected unfinished unimplemented universal unknown unprocessable unrecognised
unrecognized unsupported until up upgrade upload uploaded uri url usage use used user username users using valid value values
variant verify version very via wait waiting want wanted wants was way we welcome well went were what when where which while who
whole will wish with within without word words working would writable write writing wrong yet you your yourself
file(s) user(s) connection(s) byte(s) line(s) second(s) minute(s) hour(s) article(s)
http http/1.0 http/1.1 ftp telnet gopher gopher+ wais prospero binary utf-8 utf8 i/o eof login/password username/password
failed/rejected ssl/tls
cdup dele eprt feat list mdtm mkd mlsd mlst nlst pasv pbsz prot pwd quit retr rmd rnfr rnto site size stat stor stou syst type user
wont dont echo encrypt environ linemode naws new-environ remote-flow-control suppress-go-ahead terminal-speed terminal-type
timing-mark
x-display-location
acct authinfo over xover list newsgroups hdr stat capabilities starttls allo newnews opts rein stru
`;

const commonReplyWords: ReadonlySet<string> = new Set(COMMON_REPLY_WORDS_TEXT.trim().split(/\s+/));

/** Matches a status or reply code, and the six numbers of FTP's reply to PASV. */
const REPLY_CODE_OR_PASV_NUMBERS = /^(?:[1-5]\d\d-?|\(?\d{1,3}(?:,\d{1,3}){5}\)?\.?)$/;
const WORD_IN_PUNCTUATION = /^["'(<[]?(.*?)["')>\],.;:!?]{0,3}$/s;
const MASKED_WORD = "****";

/**
 * Masks all words of a server text except common words of server replies. Adjacent masked words become a single mask.
 * Which words are masked depends only on the server text, never on a secret.
 */
export function maskPossibleSecretsInServerText(text: string): string {
  return text
    .replace(/[^\S\n]+/g, " ")
    .replace(/\S+/g, (token) => (isCommonWord(token) ? token : MASKED_WORD))
    .replace(/\*{4}(?: \*{4})+/g, MASKED_WORD);
}

function isCommonWord(token: string): boolean {
  if (REPLY_CODE_OR_PASV_NUMBERS.test(token) || /^[-–:|/.…]$/.test(token)) return true;
  const core = (WORD_IN_PUNCTUATION.exec(token)?.[1] ?? token).toLowerCase();
  return (
    commonReplyWords.has(core) ||
    (core.includes("-") &&
      core.split("-").every((part) => commonReplyWords.has(part) || REPLY_CODE_OR_PASV_NUMBERS.test(part)))
  );
}
