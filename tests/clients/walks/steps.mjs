// What every TypeScript client is walked through: reads the errand from standard input, writes what came of each step.

const KINDS = {
  tools: (client) => client.listTools(),
  resources: (client) => client.listResources(),
  templates: (client) => client.listResourceTemplates(),
  prompts: (client) => client.listPrompts(),
  read: (client, { uri }) => client.readResource({ uri }),
  prompt: (client, { name, arguments: given }) => client.getPrompt({ name, arguments: given }),
  complete: (client, { ref, argument }) => client.complete({ ref, argument }),
};

export async function errand() {
  let text = "";
  for await (const part of process.stdin) text += part;
  return JSON.parse(text);
}

// Take the first choice of every field of the form.
export function filledIn(params) {
  const entries = Object.entries(params.requestedSchema.properties);
  return { action: "accept", content: Object.fromEntries(entries.map(([name, entry]) => [name, entry.enum[0]])) };
}

// `call(client, params, options)` and `task(params)` are the two that differ between the SDK's lines.
export async function walk(client, { steps, asked, call, task }) {
  const told = [];
  for (const step of steps) {
    asked.length = 0;
    const progress = [];
    const leaving = new AbortController();
    const onprogress = (news) => {
      progress.push(news.progress);
      if (step.do === "cancelled") leaving.abort("enough");
    };
    const options = step.do === "call" ? {} : { onprogress, signal: leaving.signal };
    const params = { name: step.name, arguments: step.arguments };
    const kinds = { ...KINDS, task: () => task(params), call: () => call(client, params, options) };
    const work = kinds[step.do] ?? kinds.call;
    const came = await work(client, step).then((result) => ({ result }), (error) => ({ error: String(error) }));
    told.push({ ...came, asked: [...asked], progress });
  }
  return told;
}

export function report(found) {
  process.stdout.write(JSON.stringify(found), () => process.exit(0));
}
