import type { Sample } from '../../interface/code-samples.ts'

/** A first call in three languages, ready to paste. */
export function tokenSamples(origin: string, token: string, model: string): readonly Sample[] {
  const question = 'What is the capital of France?'
  return [
    {
      language: 'curl',
      code: `curl ${origin}/v1/chat/completions \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '{"model": "${model}", "messages": [{"role": "user", "content": "${question}"}]}'`,
    },
    {
      language: 'JavaScript',
      code: `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: '${token}' })
const completion = await client.chat.completions.create({
  model: '${model}',
  messages: [{ role: 'user', content: '${question}' }],
})
console.log(completion.choices[0].message.content)`,
    },
    {
      language: 'Python',
      code: `# pip install openai
from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${token}")
completion = client.chat.completions.create(
    model="${model}",
    messages=[{"role": "user", "content": "${question}"}],
)
print(completion.choices[0].message.content)`,
    },
  ]
}
