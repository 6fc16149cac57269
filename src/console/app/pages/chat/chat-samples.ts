import type { ChatBody } from '../../../../http/wire/chat/chat-request.ts'
import { camelCase, curlSample, pythonSample, type Sample } from '../../interface/code-samples.ts'

/** Clients may send null for an absent content. */
type Content = ChatBody['messages'][number]['content'] | null

/** The conversation as a call of each supported client, with placeholders for pictures. */
export function chatSamples(origin: string, whole: ChatBody): readonly Sample[] {
  const body = { ...whole, messages: whole.messages.map(withoutPictures) }
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
      code: pythonSample(`${origin}/v1/chat/completions`, body, 'print(response.json()["choices"][0]["message"]["content"])'),
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
    ...(body.messages.some(({ content }) => Array.isArray(content) && content.some(({ image_url }) => image_url))
      ? []
      : octoaiSamples(origin, body)),
  ]
}

/** Clients of the original service, which support only text. */
function octoaiSamples(origin: string, body: ChatBody): readonly Sample[] {
  const plain = { ...body, messages: body.messages.map((message) => ({ ...message, content: textOf(message.content) })) }
  return [
    {
      language: '@octoai/client',
      code: `// npm install @octoai/client
import { Client } from '@octoai/client'

const client = new Client(process.env.TOKEN)
const { choices } = await client.chat.completions.create(${JSON.stringify(plain, null, 2)}, '${origin}/v1/chat/completions')
console.log(choices[0].message.content)`,
    },
    {
      language: '@octoai/sdk',
      code: `// npm install @octoai/sdk
import { OctoAIClient } from '@octoai/sdk'

const environment = { default: '${origin}', imageGen: '${origin}', textGen: '${origin}' }
const client = new OctoAIClient({ apiKey: process.env.TOKEN, environment })
const { choices } = await client.textGen.createChatCompletion(${JSON.stringify(camelCase(plain), null, 2)})
console.log(choices[0].message.content)`,
    },
  ]
}

/** Frameworks that many programs use. */
function frameworkSamples(origin: string, body: ChatBody): readonly Sample[] {
  const { messages, system, maxTokens, ...settings } = frameworkSettings(body)
  const shown = (value: object): string => JSON.stringify(value, null, 2)
  const lines = (value: object): string => shown(value).slice(2, -2)
  return [
    {
      language: 'AI SDK',
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
  readonly content: string | readonly object[]
}

/** The request in the parameters that frameworks share. */
function frameworkSettings({ messages, max_tokens, temperature, top_p }: ChatBody): {
  readonly system: string | undefined
  readonly messages: readonly SaidText[]
  readonly maxTokens: number | undefined
  readonly temperature: number | undefined
  readonly topP: number | undefined
} {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content))
  const others = messages.filter(({ role }) => role !== 'system')
  return {
    system: system.length === 0 ? undefined : system.join('\n'),
    messages: others.map(({ role, content }) => ({ role, content: contentOf(content) })),
    maxTokens: max_tokens,
    temperature,
    topP: top_p,
  }
}

function said(system: string | undefined, messages: readonly SaidText[]): readonly SaidText[] {
  return system === undefined ? messages : [{ role: 'system', content: system }, ...messages]
}

/** The request in the format of OpenAI's Responses. */
export function responsesBody({ model, messages, max_tokens, temperature, top_p }: ChatBody): object {
  const input = messages.map(({ role, content }) => ({
    role,
    content: contentOf(content, {
      text: (text) => ({ type: 'input_text', text }),
      picture: (image_url) => ({ type: 'input_image', image_url }),
    }),
  }))
  return { model, input, max_output_tokens: max_tokens, temperature, top_p }
}

/** The request in Anthropic's format, whose temperature ends at 1. */
export function messagesBody({ model, messages, max_tokens = 512, temperature, top_p }: ChatBody): object {
  const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textOf(content))
  return {
    model,
    max_tokens,
    ...(system.length > 0 && { system: system.join('\n') }),
    messages: messages
      .filter(({ role }) => role !== 'system')
      .map(({ role, content }) => ({
        role,
        content: contentOf(content, {
          text: (text) => ({ type: 'text', text }),
          picture: (url) => ({ type: 'image', source: { type: 'base64', media_type: /^data:([^;]+)/.exec(url)?.[1], data: pictureHere } }),
        }),
      })),
    temperature: temperature === undefined ? undefined : Math.min(1, temperature),
    top_p,
  }
}

/** The placeholder for a picture's base64, which would fill the page. */
const pictureHere = 'IMAGE'

function withoutPictures(message: ChatBody['messages'][number]): ChatBody['messages'][number] {
  if (!Array.isArray(message.content)) return message
  const content = message.content.map((part) => {
    const head = /^data:[^,]*,/.exec(addressOf(part.image_url))?.[0]
    return head === undefined ? part : { ...part, image_url: { url: head + pictureHere } }
  })
  return { ...message, content }
}

interface PartWords {
  readonly text: (text: string) => object
  readonly picture: (url: string) => object
}

const ownWords: PartWords = {
  text: (text) => ({ type: 'text', text }),
  picture: (url) => ({ type: 'image_url', image_url: { url } }),
}

/** A message's content in one client's format: a plain text, or parts when it has pictures. */
function contentOf(content: Content, words: PartWords = ownWords): string | readonly object[] {
  if (!Array.isArray(content) || content.every(({ image_url }) => !image_url)) return textOf(content)
  return content.map(({ text = '', image_url }) => (image_url ? words.picture(addressOf(image_url)) : words.text(text)))
}

/** The address of a picture, which a body may have alone or in an object. */
function addressOf(image: string | { readonly url: string } | undefined): string {
  return typeof image === 'string' ? image : (image?.url ?? '')
}

function textOf(content: Content): string {
  if (!Array.isArray(content)) return content ?? ''
  return content.map(({ text }) => text).join('\n')
}
