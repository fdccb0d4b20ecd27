export { installCommand, serverNames, type ServerName } from "./programs/catalogue.ts";
export { type CompleteServer, requireServer } from "./programs/locate.ts";
export { prepareServers, type ServerAvailability } from "./programs/prepare.ts";
export { loopbackHasIpv6, type LoopbackAddress } from "./loopback.ts";
export type { RunningServer } from "./running-server.ts";
export {
  createThrowawayDirectory,
  type Files,
  removeThrowawayDirectory,
  writePublicFiles,
} from "./throwaway-directory.ts";
export { startVsftpd, vsftpdCanHaveUsers, type VsftpdOptions, type VsftpdServer } from "./vsftpd/vsftpd.ts";
export type { FtpServer, FtpServerOptions } from "./ftp/options.ts";
export { type LftpProgram, lftpProgram } from "./clients/lftp.ts";
export { readingProgram, type ReadingProgram } from "./clients/shells.ts";
export { killSessions } from "./ftp/sessions.ts";
export { proftpdCanBeAnonymous, type ProftpdOptions, startProftpd } from "./proftpd/proftpd.ts";
export { pureftpdCanRun, startPureftpd } from "./pureftpd/pureftpd.ts";
export { type PyftpdlibOptions, startPyftpdlib } from "./pyftpdlib/pyftpdlib.ts";
export { nginxLogin, startNginx, type NginxOptions, type NginxServer, type WireLine } from "./nginx/nginx.ts";
export { chromiumProgram, type ChromiumProgram } from "./clients/chromium.ts";
export { startGophernicus, type GophernicusOptions } from "./gophernicus/gophernicus.ts";
export { startBusyboxTelnetd, startTelnetd, type TelnetdServer } from "./telnetd/telnetd.ts";
export { hasTerminals, type Keystroke, runGopherClient } from "./clients/gopher-client.ts";
export { lynxDump, type LynxOptions } from "./clients/lynx.ts";
export { startPygopherd, type PygopherdOptions } from "./pygopherd/pygopherd.ts";
export type { SmallServer } from "./small/loopback-listener.ts";
export { startSmallFtp, type SmallFtpOptions } from "./small/ftp.ts";
export { startSmallGopher, type SmallGopherOptions } from "./small/gopher.ts";
export { startSmallHttp, type SmallHttpOptions, type SmallRedirect } from "./small/http.ts";
export type { SmallWaisDatabase, SmallWaisDocument } from "./wais/library.ts";
export { startSmallWais, type SmallWaisOptions } from "./wais/wais.ts";
export type { SmallGroup } from "./small/news-spool.ts";
export { startSmallNntp, type SmallNntpOptions } from "./small/nntp.ts";
export { startInn, type InnOptions, type InnServer } from "./inn/inn.ts";
export { startInnd } from "./inn/innd.ts";
export { snFirstNumber, startSn, type SnOptions } from "./sn/sn.ts";
export type { ProsperoLink, ProsperoObject, ProsperoObjects } from "./prospero/objects.ts";
export {
  startSmallProspero,
  type SmallProsperoOptions,
  type SmallProsperoServer,
} from "./prospero/prospero.ts";
export { databaseOf } from "./wais/from-files.ts";
