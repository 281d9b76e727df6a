// A subscription: what is agreed, what is told, and how it ends.
import { connected, tell } from "./connect.mjs";

const told = [];
let heard;
const enough = new Promise((resolve) => (heard = resolve));
const client = await connected({}, (made) => {
  for (const method of ["tools/list_changed", "prompts/list_changed", "resources/list_changed", "resources/updated"]) {
    made.setNotificationHandler(`notifications/${method}`, ({ params }) => {
      told.push([method, params?.uri ?? null]);
      if (told.length === 2) heard();
    });
  }
});
const subscription = await client.listen({ toolsListChanged: true, resourceSubscriptions: ["demo://counter"] });
for (const event of ["prompts", "resource-updated", "resources", "tools"]) {
  await client.callTool({ name: "trigger-notifications", arguments: { event } });
}
await enough;
await subscription.close();
await tell(client, { honored: subscription.honoredFilter, told, ended: await subscription.closed });
