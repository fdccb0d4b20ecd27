export { formatInstallCommand, serverNames, type ServerName } from "./programs/server-catalogue.ts";
export { type CompleteServerFiles, requireServerFiles } from "./programs/locate-server.ts";
export { prepareServers, type ServerAvailability } from "./programs/prepare-servers.ts";
export { loopbackHasIpv6, type LoopbackAddress } from "./loopback.ts";
export type { RunningServer } from "./running-server.ts";
export {
  createThrowawayDirectory,
  type ServedFiles,
  removeThrowawayDirectory,
  writePublicFiles,
} from "./throwaway-directory.ts";
export {
  startVsftpd,
  vsftpdSupportsNamedUsers,
  type VsftpdOptions,
  type VsftpdServer,
} from "./vsftpd/vsftpd.ts";
export type { FtpServer, FtpServerOptions } from "./ftp/ftp-server-options.ts";
export { type LftpProgram, locateLftp } from "./clients/lftp.ts";
export { locateExternalProgram, type ExternalProgram } from "./clients/external-programs.ts";
export { killServerSessions } from "./ftp/kill-sessions.ts";
export { proftpdSupportsAnonymous, type ProftpdOptions, startProftpd } from "./proftpd/proftpd.ts";
export { pureftpdCanRun, startPureftpd } from "./pureftpd/pureftpd.ts";
export { type PyftpdlibOptions, startPyftpdlib } from "./pyftpdlib/pyftpdlib.ts";
export {
  nginxLogin,
  startNginx,
  type NginxOptions,
  type NginxServer,
  type NginxLogEntry,
} from "./nginx/nginx.ts";
export { locateChromium, type ChromiumProgram } from "./clients/chromium.ts";
export { startGophernicus, type GophernicusOptions } from "./gophernicus/gophernicus.ts";
export { startBusyboxTelnetd, startTelnetd, type TelnetdServer } from "./telnetd/telnetd.ts";
export { canCreateTerminal, type TerminalKeystroke, runGopherClient } from "./clients/gopher-client.ts";
export { dumpPageWithLynx, type LynxOptions } from "./clients/lynx.ts";
export { startPygopherd, type PygopherdOptions } from "./pygopherd/pygopherd.ts";
export type { SmallServer } from "./small/loopback-listener.ts";
export { startSmallFtp, type SmallFtpOptions } from "./small/ftp-server.ts";
export { startSmallGopher, type SmallGopherOptions } from "./small/gopher-server.ts";
export { startSmallHttp, type SmallHttpOptions, type SmallHttpRedirect } from "./small/http-server.ts";
export type { SmallWaisDatabase, SmallWaisDocument } from "./wais/search-database.ts";
export { startSmallWais, type SmallWaisOptions } from "./wais/small-wais-server.ts";
export type { SmallNewsGroup } from "./small/news-spool.ts";
export { startSmallNntp, type SmallNntpOptions } from "./small/nntp-server.ts";
export { startInn, type InnOptions, type InnServer } from "./inn/inn.ts";
export { startInnd } from "./inn/innd.ts";
export { snFirstArticleNumber, startSn, type SnOptions } from "./sn/sn.ts";
export { startMicrosocks } from "./proxies/microsocks.ts";
export { startTunnelProxy, type TunnelProxy } from "./proxies/tunnel-proxy.ts";
export { startTinyproxy, type TinyproxyOptions, type TinyproxyServer } from "./proxies/tinyproxy.ts";
export type { ProsperoLink, ProsperoObject, ProsperoObjects } from "./prospero/served-objects.ts";
export {
  startSmallProspero,
  type SmallProsperoOptions,
  type SmallProsperoServer,
} from "./prospero/small-prospero-server.ts";
export { createDatabaseFromFiles } from "./wais/database-from-files.ts";
