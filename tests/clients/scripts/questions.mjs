// Every kind of question, answered by the handlers of the client in as many rounds as it takes.
import { CAPABILITIES, connected, failure, person, tell } from "./connect.mjs";

const asked = [];
const answers = { name: "Ada", confirm: true, code: "0000", passphrase: "mcp", tone: "pirate" };
const client = await connected(CAPABILITIES, (made) => person(made, answers, asked));
const call = async (name, args = {}) => client.callTool({ name, arguments: args });

const outcome = {
  name: (await call("ask-name")).structuredContent,
  launch: (await call("confirm-launch")).structuredContent,
  dashboard: (await call("open-dashboard")).structuredContent.action,
  summary: (await call("summarize", { text: "A long text." })).structuredContent,
  roots: (await call("list-client-roots")).structuredContent,
  vault: (await client.readResource({ uri: "demo://vault" })).contents[0].text,
  greeting: (await client.getPrompt({ name: "personalized-greeting" })).messages[0].content.text,
};
delete answers.name; // what has no answer is declined
const declined = (await call("ask-name")).content[0].text;
const questions = [...asked];
asked.length = 0;
const endless = (await failure(call("never-satisfied"))).code;
await tell(client, { ...outcome, declined, questions, endless, rounds: asked.length });
