import type { ChatBody } from '../../../../http/wire/chat/chat-request.ts'
import { curlSample, pythonLiteral } from '../../interface/code-samples.ts'

/** A conversation as a call of each client that the service is tried with. */
export function chatSamples(origin: string, body: ChatBody): readonly { readonly language: string; readonly code: string }[] {
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
    {
      language: 'Responses',
      code: `// npm install openai
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: process.env.TOKEN })
const response = await client.responses.create(${JSON.stringify(responsesBody(body), null, 2)})
console.log(response.output_text)`,
    },
    {
      language: 'Messages',
      code: `// npm install @anthropic-ai/sdk
import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${origin}', apiKey: process.env.TOKEN })
const stream = client.messages.stream(${JSON.stringify(messagesBody(body), null, 2)})
stream.on('text', (text) => process.stdout.write(text))
await stream.finalMessage()`,
    },
    ...frameworkSamples(origin, body),
  ]
}

/** The frameworks that many programs are built on. */
function frameworkSamples(origin: string, body: ChatBody): readonly { readonly language: string; readonly code: string }[] {
  const { messages, system, maxTokens, ...settings } = frameworkSettings(body)
  const shown = (value: object): string => JSON.stringify(value, null, 2)
  const lines = (value: object): string => shown(value).slice(2, -2)
  return [
    {
      language: 'ai SDK',
      code: `// npm install ai @ai-sdk/openai-compatible
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { streamText } from 'ai'

const sepia = createOpenAICompatible({ name: 'sepia', baseURL: '${origin}/v1', apiKey: process.env.TOKEN })
const { textStream } = streamText({
  model: sepia(${JSON.stringify(body.model)}),
${lines({ system, messages, maxOutputTokens: maxTokens, ...settings })}
})
for await (const text of textStream) process.stdout.write(text)`,
    },
    {
      language: 'LangChain',
      code: `// npm install @langchain/openai @langchain/core
import { ChatOpenAI } from '@langchain/openai'

const chat = new ChatOpenAI({
  configuration: { baseURL: '${origin}/v1' },
  apiKey: process.env.TOKEN,
${lines({ model: body.model, maxTokens, ...settings })}
})
const stream = await chat.stream(${shown(said(system, messages))})
for await (const chunk of stream) process.stdout.write(chunk.text)`,
    },
    {
      language: 'LlamaIndex',
      code: `// npm install @llamaindex/openai
import { openai } from '@llamaindex/openai'

const model = openai({
  baseURL: '${origin}/v1',
  apiKey: process.env.TOKEN,
${lines({ model: body.model, maxTokens, ...settings })}
})
const stream = await model.chat({ stream: true, messages: ${shown(said(system, messages))} })
for await (const { delta } of stream) process.stdout.write(delta)`,
    },
  ]
}

interface SaidText {
  readonly role: string
  readonly content: string
}

/** The same question in the words that frameworks share. */
function frameworkSettings({ messages, max_tokens, temperature, top_p }: ChatBody): {
  readonly system: string | undefined
  readonly messages: readonly SaidText[]
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly topP: number | undefined
} {
  const texts = messages.map(({ role, content }) => ({ role, content: textOf(content) }))
  const system = texts.filter(({ role }) => role === 'system').map(({ content }) => content)
  return {
    system: system.length === 0 ? undefined : system.join('\n'),
    messages: texts.filter(({ role }) => role !== 'system'),
    maxTokens: max_tokens,
    temperature,
    topP: top_p,
  }
}

function said(system: string | undefined, messages: readonly SaidText[]): readonly SaidText[] {
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages]
}

/** The same question in the words of OpenAI's Responses. */
export function responsesBody({ model, messages, max_tokens, temperature, top_p }: ChatBody): object {
  const input = messages.map(({ role, content }) => ({ role, content: textOf(content) }))
  return { model, input, max_output_tokens: max_tokens, temperature, top_p }
}

/** The same question in Anthropic's words, whose temperature ends at 1. */
export function messagesBody({ model, messages, max_tokens = 512, temperature, top_p }: ChatBody): object {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content))
  return {
    model,
    max_tokens,
    ...(system.length > 0 && { system: system.join('\n') }),
    messages: messages.filter(({ role }) => role !== 'system').map(({ role, content }) => ({ role, content: textOf(content) })),
    temperature: temperature === undefined ? undefined : Math.min(1, temperature),
    top_p,
  }
}

function textOf(content: ChatBody['messages'][number]['content']): string {
  if (content === undefined || typeof content === 'string') return content ?? ''
  return content.map(({ text }) => text).join('\n')
}
