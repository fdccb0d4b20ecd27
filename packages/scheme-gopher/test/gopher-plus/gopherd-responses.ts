// Replies recorded from the server gopherd 3.0 of the University of Minnesota.
import { type LoopbackServer, startScriptedServer } from "@anyscheme/core/testing";

const ADMIN_BLOCK =
  "+ADMIN:\r\n Admin: Test Administrator <gopher@localhost>\r\n Mod-Date: Fri Nov 20 20:57:20 2026 <20261120205720>\r\n";

export const ASK_BLOCK =
  "+ASK:\r\n Note: Please fill in\r\n Ask: How many volts?\t110\r\n AskP: Password\r\n AskL: Comments\r\n Select: Loud?\t0\r\n Choose: Shock now?\tYes\tNot!\r\n";

const HELLO_ATTRIBUTES = `+INFO: 0hello\t0/hello.txt\tlocalhost\t70\t+\r\n${ADMIN_BLOCK}+VIEWS:\r\n Text/plain En_US: <.0k>\r\n`;
const ORDER_FORM_ATTRIBUTES = `+INFO: 0order\t0/order\tlocalhost\t70\t?\r\n${ADMIN_BLOCK}+VIEWS:\r\n Text/plain En_US: <.0k>\r\n${ASK_BLOCK}`;

export const ROOT_MENU_ATTRIBUTES_RESPONSE = `+INFO: 1Gopher Testing Labs\t\tlocalhost\t70\t+\r\n${ADMIN_BLOCK} TTL: 0\r\n Site: Gopher Testing Labs\r\n Org: Gopher International Ltd.\r\n Loc: Minneapolis, MN, USA\r\n Geog: 44 58 48 N 93 15 49 W\r\n Version: U of Minnesota Unix 3.0 pl5\r\n+ABSTRACT:\r\n This is a test server.  It doesn't do very much, ignore\r\n it and use another.\r\n+VERONICA:\r\n treewalk: yes\r\n+VIEWS:\r\n application/gopher-menu: <0k>\r\n application/gopher+-menu: <0k>\r\n text/html: <0k>\r\n Directory/recursive: <0k>\r\n Directory+/recursive: <0k>\r\n`;

export const CAPTURED_ATTRIBUTES_OF_ALL_ITEMS = `${HELLO_ATTRIBUTES}${ORDER_FORM_ATTRIBUTES}+INFO: Ipic\t9/pic.gif\tlocalhost\t70\t+\r\n${ADMIN_BLOCK}+VIEWS:\r\n image/gif En_US: <.3k>\r\n+INFO: 1views\t1/views\tlocalhost\t70\t+\r\n${ADMIN_BLOCK} TTL: 0\r\n+VIEWS:\r\n application/gopher-menu En_US: <4k>\r\n application/gopher+-menu En_US: <4k>\r\n text/html En_US: <4k>\r\n+INFO: 3(NULL)\t0/hello.txt\tlocalhost\t70\t+\r\n+ADMIN:\r\n Admin: Test Administrator <gopher@localhost>\r\n Mod-Date: Thu Jan  1 00:00:00 1970 <19700101000000>\r\n+ABSTRACT:\r\n A short abstract\r\n of the hello file\r\n`;

/** A submitted form, as sent by the client of the University of Minnesota. */
export const SUBMITTED_GOPHER_PLUS_FORM =
  "+\t1\r\n+-1\r\n110\r\nsecret\r\n2\r\nfirst line\r\nsecond line\r\n1\r\nYes\r\n.\r\n";

const HTML_VIEW = "<HTML>\r\n<BODY>\r\n<DL COMPACT>\r\n</DL>\r\n</BODY>\r\n</HTML>\r\n";

/** The recorded reply for each request. The keys are requests without their line end. */
const REPLY_BY_REQUEST: Readonly<Record<string, string>> = {
  "\t+":
    "+-1\r\n0hello\t0/hello.txt\tlocalhost\t70\t+\r\n0order\t0/order\tlocalhost\t70\t?\r\nIpic\t9/pic.gif\tlocalhost\t70\t+\r\n1views\t1/views\tlocalhost\t70\t+\r\n3(NULL)\t0/hello.txt\tlocalhost\t70\t+\r\n.\r\n",
  "\t$": `+-1\r\n${CAPTURED_ATTRIBUTES_OF_ALL_ITEMS}.\r\n`,
  "\t!": `+-1\r\n${ROOT_MENU_ATTRIBUTES_RESPONSE}.\r\n`,
  "0/hello.txt\t+": "+37\r\nHello gopher.\nSecond line.\n.dot line\n.\r\n",
  "0/hello.txt\t!": `+-1\r\n${HELLO_ATTRIBUTES}.\r\n`,
  "0/hello.txt\t!+ABSTRACT +VIEWS": `+-1\r\n${HELLO_ATTRIBUTES}.\r\n`,
  "0/hello.txt\t+Text/plain En_US": "+37\r\nHello gopher.\nSecond line.\n.dot line\n.\r\n",
  "0/order\t!": `+-1\r\n${ORDER_FORM_ATTRIBUTES}.\r\n`,
  "0/nosuch": "0'/nosuch' does not exist!!\t\terror.host\t1\r\n.\r\n",
  "0/nosuch\t!":
    "--1\r\n1 Test Administrator <gopher@localhost>\r\nCannot find item information for that item\r\n.\r\n",
  "1/views\t!": `+-1\r\n+INFO: 1views\t1/views\tlocalhost\t70\t+\r\n${ADMIN_BLOCK}+VIEWS:\r\n application/gopher-menu En_US: <4k>\r\n application/gopher+-menu En_US: <4k>\r\n text/html En_US: <4k>\r\n.\r\n`,
  "1/views\t+text/html En_US": `+-1\r\n${HTML_VIEW}`,
  "1/views\t+application/gopher+-menu En_US": `+-1\r\n${HELLO_ATTRIBUTES}.\r\n`,
  [`0/order\t${SUBMITTED_GOPHER_PLUS_FORM}`]:
    "+-1\r\nYou answered:\n110\nsecret\n2\nfirst line\nsecond line\n1\nYes\n.\r\n",
};

/** Starts a server that sends the recorded replies, and the error `Malformed command` for any other request. */
export function startGopherdReplayServer(): Promise<LoopbackServer> {
  return startScriptedServer(async (peer) => {
    const line = await peer.readLine();
    let request = line ?? "";
    if (request.endsWith("\t1")) {
      request += "\r\n";
      for (
        let more = await peer.readLine();
        more !== undefined;
        more = more === "." ? undefined : await peer.readLine()
      )
        request += `${more}\r\n`;
    }
    peer.send(REPLY_BY_REQUEST[request] ?? "0Malformed command\t\terror.host\t1\r\n.\r\n");
  });
}
