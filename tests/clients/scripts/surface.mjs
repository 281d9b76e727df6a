// Discovery, lists, plain calls, reads, prompts, completion, and what is refused.
import { connected, failure, tell } from "./connect.mjs";

const client = await connected({});
const { tools } = await client.listTools();
const { resources } = await client.listResources();
const { resourceTemplates } = await client.listResourceTemplates();
const { prompts } = await client.listPrompts();
const call = async (name, args = {}) => client.callTool({ name, arguments: args });

await tell(client, {
  server: client.getServerVersion().name,
  era: client.getNegotiatedProtocolVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
  listed: [tools, resources, resourceTemplates, prompts].map((list) => list.map(({ name }) => name)),
  echo: await call("echo", { message: "hi" }),
  sql: (await call("execute-sql", { region: "Zürich 1", query: "select 1" })).structuredContent,
  weather: (await call("get-weather", { city: "Paris" })).structuredContent,
  failed: await call("fail", { mode: "throw" }),
  invalid: (await call("long-task", { steps: 11 })).isError,
  unknown: await failure(call("no-such-tool")),
  unasked: await failure(call("ask-name")),
  spec: (await client.readResource({ uri: "demo://files/spec.md" })).contents[0],
  missing: await failure(client.readResource({ uri: "demo://files/none.md" })),
  review: (await client.getPrompt({ name: "code-review", arguments: { language: "go", code: "x" } })).messages[0],
  completed: (
    await client.complete({
      ref: { type: "ref/prompt", name: "code-review" },
      argument: { name: "language", value: "r" },
    })
  ).completion.values,
});
