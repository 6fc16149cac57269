import type { ChatBody } from '../../../../http/wire/chat/chat-request.ts'
import { curlSample, pythonLiteral } from '../../interface/code-samples.ts'
import type { Sample } from '../../parts/code-sample.tsx'

/** A conversation as a call in three languages. */
export function chatSamples(origin: string, body: ChatBody): readonly Sample[] {
  return [
    { language: 'curl', code: curlSample(`${origin}/v1/chat/completions`, body) },
    {
      language: 'JavaScript',
      code: `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.TOKEN })
const stream = await client.chat.completions.create(${JSON.stringify({ ...body, stream: true }, null, 2)})
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? '')`,
    },
    {
      language: 'Python',
      code: `# pip install requests
import os, requests

response = requests.post(
    "${origin}/v1/chat/completions",
    headers={"Authorization": f"Bearer {os.environ['TOKEN']}"},
    json=${pythonLiteral(body, '    ')},
)
print(response.json()["choices"][0]["message"]["content"])`,
    },
  ]
}
