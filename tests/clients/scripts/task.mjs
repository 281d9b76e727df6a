// Tasks by the official package for them, which wants to be given a way around the client for their wire shapes.
import { createApplicationInputHandler, createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import { CAPABILITIES, INFO, TASKS, VERSION, connected, tell, url } from "./connect.mjs";

async function rawDispatch(request, { signal, context } = {}) {
  const { method, params } = request;
  const name = params.taskId ?? params.name;
  const response = await fetch(url, {
    method: "POST",
    signal,
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": VERSION,
      "Mcp-Method": method,
      ...(name === undefined ? {} : { "Mcp-Name": name }),
      ...context?.headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: crypto.randomUUID(), ...request }),
  });
  const message = await response.json();
  return "error" in message ? { kind: "error", error: message.error } : { kind: "result", result: message.result };
}

const client = await connected(CAPABILITIES);
const asked = [];
const session = createTaskSessionFromClient(client, {
  endpointId: url,
  rawDispatch,
  v2RequestFraming: { protocolVersion: VERSION, clientInfo: INFO, clientCapabilities: CAPABILITIES },
  tools: { currentTool: () => undefined },
  onInputRequest: createApplicationInputHandler({
    elicitation: async ({ params }, { delivery }) => {
      asked.push([delivery, params.message]);
      const [name] = Object.keys(params.requestedSchema.properties);
      return { action: "accept", content: { [name]: name === "go" ? true : "Ada" } };
    },
    sampling: async () => Promise.reject(new Error("nothing here samples")),
    roots: async () => ({ roots: [] }),
  }),
});

async function run(args) {
  const execution = await session.callTool("run-task", { delayMs: 0, ...args });
  const seen = [];
  const { outcome } = await execution.settle({
    onEvent: (event) => {
      if (event.type === "task" && seen.at(-1) !== event.task.status) seen.push(event.task.status);
    },
  });
  const { status, result, error } = outcome;
  return { kind: execution.kind, seen, status, text: result?.content?.[0]?.text ?? error?.message, code: error?.code };
}

async function cancelled() {
  const execution = await session.callTool("run-task", { delayMs: 60000 });
  await execution.cancel();
  return (await execution.settle()).outcome.status;
}

const outcome = {
  declared: client.getServerCapabilities().extensions?.[TASKS],
  complete: await run({}),
  toolError: await run({ scenario: "tool-error" }),
  protocolError: await run({ scenario: "protocol-error" }),
  needsInput: await run({ scenario: "needs-input", confirm: true }),
  stubborn: await run({ scenario: "stubborn" }),
  cancelled: await cancelled(),
  asked,
};
await session.close();
await tell(client, outcome);
