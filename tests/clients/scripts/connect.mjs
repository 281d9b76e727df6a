// The official TypeScript client, connected to the URL that the command line names, or to the command that it spells.
// A scenario prints one JSON text and nothing else.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

export const VERSION = "2026-07-28";
export const TASKS = "io.modelcontextprotocol/tasks";
export const INFO = { name: "goldfish-tests", version: "1.0.0" };
export const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {}, extensions: { [TASKS]: {} } };
export const [url, ...rest] = process.argv.slice(2);

export async function connected(capabilities, prepare = () => {}) {
  const client = new Client(INFO, { capabilities, versionNegotiation: { mode: { pin: VERSION } } });
  prepare(client);
  await client.connect(
    url.startsWith("http:")
      ? new StreamableHTTPClientTransport(new URL(url))
      : new StdioClientTransport({ command: url, args: rest }),
  );
  return client;
}

// Whoever sits at the client: answers a form by its first property, consents to a URL, samples, has one root.
export function person(client, answers, asked) {
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    asked.push(params.mode === "url" ? params.url : params.message);
    if (params.mode === "url") return { action: "accept" };
    const [name] = Object.keys(params.requestedSchema.properties);
    if (!(name in answers)) return { action: "decline" };
    return { action: "accept", content: { [name]: answers[name] } };
  });
  client.setRequestHandler("sampling/createMessage", async () => ({
    role: "assistant",
    model: "a model",
    content: { type: "text", text: "Short." },
  }));
  client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///a" }] }));
}

export async function failure(promise) {
  try {
    return { answered: await promise };
  } catch (error) {
    return { code: error.code, message: error.message, data: error.data ?? null };
  }
}

export async function tell(client, outcome) {
  await client.close();
  console.log(JSON.stringify(outcome));
}
