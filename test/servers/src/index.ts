export {
  formatServerInstallCommand,
  externalProgramNames,
  type TestProgramName,
} from "./programs/server-dependencies.ts";
export { type LocatedServerProgramFiles, requireServerProgramFiles } from "./programs/locate-server.ts";
export { downloadMissingServers, type ServerAvailability } from "./programs/download-missing-servers.ts";
export { loopbackHasIpv6, type LoopbackAddress } from "./loopback.ts";
export type { RunningServer } from "./running-server.ts";
export {
  createTemporaryDirectory,
  type ServedFiles,
  removeTemporaryDirectory,
  writeWorldReadableFiles,
} from "./temporary-directory.ts";
export {
  startVsftpd,
  vsftpdSupportsNamedUsers,
  type VsftpdOptions,
  type VsftpdServer,
} from "./vsftpd/vsftpd.ts";
export type { RunningFtpServer, RealFtpServerOptions } from "./ftp/real-ftp-server-options.ts";
export { type LftpProgram, locateLftp } from "./clients/locate-lftp.ts";
export { locateShellOrGroff, type ProgramPathAndEnvironment } from "./programs/locate-shell-or-groff.ts";
export { killServerSessions } from "./ftp/kill-session-processes.ts";
export { proftpdSupportsAnonymous, type ProftpdOptions, startProftpd } from "./proftpd/proftpd.ts";
export { hasPrivilegesForPureftpd, startPureftpd } from "./pureftpd/pureftpd.ts";
export { type PyftpdlibOptions, startPyftpdlib } from "./pyftpdlib/pyftpdlib.ts";
export {
  nginxLogin,
  startNginx,
  type NginxOptions,
  type NginxServer,
  type NginxLogEntry,
} from "./nginx/nginx.ts";
export { requireChromium, type ChromiumProgram } from "./clients/require-chromium.ts";
export { startGophernicus, type GophernicusOptions } from "./gophernicus/gophernicus.ts";
export { startBusyboxTelnetd, startInetutilsTelnetd, type TelnetdServer } from "./telnetd/telnetd.ts";
export {
  canCreateTerminal,
  type KeysAfterScreenText,
  runGopherClientWithKeystrokes,
} from "./clients/run-gopher-client-in-terminal.ts";
export { dumpPageWithLynx, type LynxOptions } from "./clients/lynx.ts";
export { startPygopherd, type PygopherdOptions } from "./pygopherd/pygopherd.ts";
export type { TestServer } from "./test-servers/loopback-listener.ts";
export { startFtpTestServer, type FtpTestServerOptions } from "./test-servers/ftp/ftp-test-server.ts";
export { startGopherTestServer, type GopherTestServerOptions } from "./test-servers/gopher-test-server.ts";
export {
  startHttpFileTestServer,
  type HttpTestServerOptions,
  type TestServerRedirect,
} from "./test-servers/http-test-server.ts";
export type { TestWaisDatabase, TestWaisDocument } from "./wais/search-database.ts";
export { startWaisTestServer, type WaisTestServerOptions } from "./wais/wais-test-server.ts";
export type { TestNewsgroup } from "./test-servers/number-and-format-articles.ts";
export { startNntpTestServer, type NntpTestServerOptions } from "./test-servers/nntp-test-server.ts";
export { startNnrpd, type NnrpdOptions, type NnrpdServer } from "./inn/nnrpd.ts";
export { startInnd } from "./inn/innd.ts";
export { SN_FIRST_ARTICLE_NUMBER, startSn, type SnOptions } from "./sn/sn.ts";
export { startMicrosocks } from "./proxies/microsocks.ts";
export {
  startFixedTargetTunnelProxy,
  type FixedTargetTunnelProxy,
} from "./proxies/fixed-target-tunnel-proxy.ts";
export { startTinyproxy, type TinyproxyOptions, type TinyproxyServer } from "./proxies/tinyproxy.ts";
export type { ProsperoLink, TestProsperoObject, ProsperoObjects } from "./prospero/served-objects.ts";
export { startProsperoTestServer, type ProsperoTestServerOptions } from "./prospero/prospero-test-server.ts";
export { createDatabaseFromFiles } from "./wais/database-from-files.ts";
