// Every view: the address it has, and how it is opened. The first that fits is shown.
import * as agents from "./views/agents.js";
import * as board from "./views/board.js";
import * as audit from "./views/audit.js";
import * as conversations from "./views/conversations.js";
import * as files from "./views/files.js";
import * as insights from "./views/insights.js";
import * as now from "./views/now.js";
import * as quarantine from "./views/quarantine.js";
import * as speak from "./views/speak.js";

export const ROUTES = [
  { view: "now", path: /^\/now$/, open: now.open },
  { view: "board", path: /^\/board$/, open: board.open },
  { view: "conversations", path: /^\/conversations(?:\/([^/]+))?$/, open: conversations.open },
  { view: "agents", path: /^\/agents$/, open: agents.openAll },
  { view: "agents", path: /^\/agents\/(.+)$/, open: agents.openOne },
  { view: "insights", path: /^\/insights$/, open: insights.open },
  { view: "audit", path: /^\/audit(?:\/([^/]+))?$/, open: audit.open },
  { view: "audit", path: /^\/files$/, open: files.open },
  { view: "audit", path: /^\/quarantine(?:\/(.+))?$/, open: quarantine.open },
  { view: "speak", path: /^\/speak$/, open: speak.open },
];
