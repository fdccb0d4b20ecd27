/** Texts with a known verdict of a production. */
interface Known {
  readonly sentences: readonly string[];
  readonly others: readonly string[];
}

/**
 * The examples and forms of RFC 1738 §3, the Appendix and the References, and similar texts.
 */
export const KNOWN: Readonly<Record<string, Known>> = {
  ftpurl: {
    sentences: [
      "ftp://@host.com/",
      "ftp://host.com/",
      "ftp://foo:@host.com/",
      "ftp://:pw@host.com/",
      "ftp://myname@host.dom/%2Fetc/motd",
      "ftp://myname@host.dom/etc/motd",
      "ftp://myname@host.dom//etc/motd",
      "ftp://info.cern.ch/pub/www/doc;type=d",
      "ftp://ds.internic.net/rfc",
      "ftp://ds.internic.net/rfc/rfc1436.txt;type=a",
      "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt",
      "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
      "FTP://127.0.0.1:00021",
      "ftp://good.dom?@evil.dom/",
      "ftp://h/;type=i",
    ],
    others: [
      "ftp:/host.com/",
      "ftp://",
      "ftp:///x",
      "ftp://a@b@h/",
      "ftp://h/a;b",
      "ftp://h/;type=x",
      "ftp://h/;TYPE=a",
      "ftp://h/;type=a;type=i",
      "ftp://h;type=a",
      "ftp://256.0.0.1/",
      "ftp://127.1/",
      "ftp://1.2.3.4.5/",
      "ftp://0x7f.1/",
      "ftp://h.1a/",
      "ftp://-h/",
      "ftp://h-/",
      "ftp://h./",
      "ftp://a_b/",
      "ftp://%68/",
      "ftp://h:/",
      "ftp://h:65536/",
      "ftp://h/%2",
      "ftp://h/~x",
    ],
  },
  httpurl: {
    sentences: [
      "http://www.acl.lanl.gov/URI/archive/uri-archive.index.html",
      "http://ds.internic.net/instructions/overview.html",
      "http://host.dom:80/path?searchpart",
      "http://h",
      "http://h/",
      "http://h/?",
      "http://h/a;b=c?d;e=f",
    ],
    others: [
      "http://ds.internic.net/instructions/overview.html#WARNING",
      "http://h?q",
      "http://u@h/",
      "http://h/a?b?c",
      "http://h/a?b/c",
      "https://h/",
    ],
  },
  httpsurl: { sentences: ["https://h/a?b"], others: ["http://h/a?b"] },
  gopherurl: {
    sentences: [
      "gopher://host.dom:70/0selector",
      "gopher://host.dom/7selector%09search",
      "gopher://h/0x%09%09+application/postscript%20Es_ES",
      "gopher://h/0x%09%09!+ABSTRACT%20+SMELL",
      "gopher://h/0x%09%09+%091%0D%0A+-1%0D%0Avalue%0D%0A.%0D%0A",
      "gopher://h",
      "gopher://h/",
      "gopher://h//x",
      "gopher://h/%31x",
      "gopher://h/7x%09what?/",
    ],
    others: [
      "gopher://h?x",
      "gopher://u@h/",
      "gopher:/h",
      "gopher://h/0 x",
      "gopher://h/%0",
      "gopher://h/0\t",
    ],
  },
  gophersurl: { sentences: ["gophers://h/1"], others: ["gopher://h/1"] },
  mailtourl: {
    sentences: ["mailto:timbl@info.cern.ch", "mailto:user%25host@gateway.dom", "mailto:a", "MailTo:?/@"],
    others: ["mailto:", "mailto:user%host@gateway.dom", "mailto:a b", "mailto:<a@b>"],
  },
  newsurl: {
    sentences: [
      "news:comp.infosystems.www.misc",
      "news:*",
      "news:unique@full.domain.name",
      "news://h/x@y",
      "news:a..b",
      "news:%3C@h",
      "news:alt.c++_x-y",
    ],
    others: [
      "news:",
      "news:9fans",
      "news:*.x",
      "news:a@b@c",
      "news:a@",
      "news:@h",
      "news:comp.%61",
      "news:a/b",
    ],
  },
  nntpurl: {
    sentences: ["nntp://host.dom:119/comp.infosystems.www.misc/4711", "nntp://h/a", "nntp://h/a/0"],
    others: ["nntp://h", "nntp://h/", "nntp://h/*", "nntp://h/a/", "nntp://h/a/x", "nntp://u@h/a/1"],
  },
  telneturl: {
    sentences: ["telnet://user:password@host.dom:23/", "telnet://user@h", "telnet://h", "telnet://h/"],
    others: ["telnet:h", "telnet://h/x", "telnet://h//", "telnet://"],
  },
  waisurl: {
    sentences: [
      "wais://host.dom:210/database",
      "wais://h/database?search",
      "wais://h/database/wtype/wpath",
      "wais://h/",
      "wais://h/?",
      "wais://h///",
    ],
    others: ["wais://h", "wais://h/d/t", "wais://h/d/t/p/q", "wais://h/d/t/1=x;2=y", "wais://h/d?a?b"],
  },
  fileurl: {
    sentences: [
      "file://vms.host.edu/disk$user/my/notes/note12345.txt",
      "file:///etc/motd",
      "file://localhost/",
      "file://LocalHost/x",
      "file://10.0.0.1/x",
    ],
    others: [
      "file:/x",
      "file://h",
      "file://",
      "file://h:21/x",
      "file://u@h/x",
      "file:///a;b",
      "file://10.1/",
    ],
  },
  prosperourl: {
    sentences: [
      "prospero://host.dom//pros/name",
      "prospero://host.dom:1525//pros/name;OBJECT-VERSION=2",
      "prospero://h/",
      "prospero://h/x;=;a=&b",
    ],
    others: [
      "prospero://h",
      "prospero://h/x;a",
      "prospero://h/x;a=b/c",
      "prospero://h/x;a=b=c",
      "prospero://u@h/x",
    ],
  },
  genericurl: {
    sentences: ["x:", "9p:x", "+.-:", "x-tra:anything", "x://a@b@;/", "Z39.50r://h:210/d"],
    others: ["", ":", "x", "x_y:z", "x y:z", "x:^", "x:%zz", "x:é"],
  },
};
