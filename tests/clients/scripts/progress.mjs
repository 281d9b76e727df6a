// What a call tells on the way, and a call that is given up.
import { connected, tell } from "./connect.mjs";

const steps = [];
const lines = [];
const client = await connected({}, (made) =>
  made.setNotificationHandler("notifications/message", ({ params }) => void lines.push(params.data)),
);
const params = (count, delay) => ({
  name: "long-task",
  arguments: { steps: count, delayMs: delay },
  _meta: { "io.modelcontextprotocol/logLevel": "info" },
});
const done = await client.callTool(params(3, 10), { onprogress: (step) => void steps.push(step) });

const leaving = new AbortController();
const left = await client
  .callTool(params(10, 20), { signal: leaving.signal, onprogress: () => leaving.abort("enough") })
  .then(() => "finished", () => "given up");
const next = await client.callTool({ name: "echo", arguments: { message: "next" } });
await tell(client, {
  done: done.content[0].text,
  steps,
  lines: lines.filter((line) => line.endsWith("of 3")),
  left,
  next: next.content[0].text,
});
