/** The URLs in the Appendix of RFC 1738, section "Examples". */
export const RFC1738_APPENDIX_URLS: readonly string[] = [
  "ftp://info.cern.ch/pub/www/doc;type=d",
  "ftp://ds.internic.net/rfc",
  "http://ds.internic.net/instructions/overview.html#WARNING",
];

/** The URLs of the references 1 to 18 of RFC 1738. The references 9, 19 and 20 have no URL. */
export const RFC1738_BIBLIOGRAPHY_URLS: readonly string[] = [
  "ftp://ds.internic.net/rfc/rfc1436.txt;type=a",
  "ftp://boombox.micro.umn.edu/pub/gopher/gopher_protocol/Gopher+/Gopher+.txt",
  "ftp://ds.internic.net/rfc/rfc1630.txt",
  "ftp://info.cern.ch/pub/www/doc/http-spec.txt.Z",
  "ftp://ds.internic.net/rfc/rfc1123.txt",
  "ftp://ds.internic.net/rfc/rfc822.txt",
  "ftp://quake.think.com/pub/wais/doc/protspec.txt",
  "ftp://ds.internic.net/rfc/rfc1036.txt",
  "ftp://quake.think.com/pub/wais/doc/doc-ids.txt",
  "ftp://ds.internic.net/rfc/rfc977.txt",
  "ftp://ds.internic.net/internet-drafts/draft-ietf-uri-irl-fun-req-02.txt",
  "ftp://ds.internic.net/rfc/rfc1034.txt",
  "ftp://prospero.isi.edu/pub/prospero/doc/prospero-protocol.PS.Z",
  "ftp://ds.internic.net/rfc/rfc959.txt",
  "ftp://ds.internic.net/rfc/rfc1737.txt",
  "ftp://ds.internic.net/rfc/rfc1625.txt",
  "ftp://uu.psi.com/wp/nir.txt",
];
