import type { RequestCall } from '../../../contract/requests.ts'
import { camelCase, curlSample, pythonSample, type Sample } from '../../interface/code-samples.ts'
import { isDeferrable } from '../../interface/inference-requests.ts'

const token = 'process.env.TOKEN'

/** A request as a call of every client that is known to work with the service. */
export function callSamples(origin: string, { path, body }: RequestCall): readonly Sample[] {
  const url = `${origin}${path}`
  const common: readonly Sample[] = [
    { language: 'curl', code: curlSample(url, body) },
    ...(isDeferrable({ path }) ? [{ language: 'curl, asynchronous', code: curlSample(url, body, ['X-Service-Async: 1']) }] : []),
    { language: 'Python', code: pythonSample(url, body, 'answer = response.json()') },
  ]
  if (path.startsWith('/generate/')) return [...common, ...imageSamples(origin, url, { path, body })]
  return path === '/v1/chat/completions' ? [...common, ...chatSamples(origin, body)] : [...common, fetchSample(url, body)]
}

function imageSamples(origin: string, url: string, { path, body }: RequestCall): readonly Sample[] {
  const sdk: readonly Sample[] = path === '/generate/sdxl' || path === '/generate/sd' ? [octoaiImage(origin, path, body)] : []
  return [
    fetchSample(url, body),
    {
      language: '@octoai/client',
      code: `import { Client } from '@octoai/client'

const client = new Client(${token})
const future = await client.inferAsync('${url}', ${js(body)})
while (!(await client.isFutureReady(future))) await new Promise((resolve) => setTimeout(resolve, 500))
const { images } = await client.getFutureResult(future)`,
    },
    ...sdk,
    {
      language: 'openai',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${token} })
const { data } = await client.images.generate(${js(openaiImage(body))})`,
    },
  ]
}

function octoaiImage(origin: string, path: string, body: RequestCall['body']): Sample {
  const call = path === '/generate/sdxl' ? 'generateSdxl' : 'generateSd'
  return {
    language: '@octoai/sdk',
    code: `import { OctoAIClient } from '@octoai/sdk'

const environment = { default: '${origin}', imageGen: '${origin}', textGen: '${origin}' }
const client = new OctoAIClient({ apiKey: ${token}, environment })
const { images } = await client.imageGen.${call}(${js(camelCase(body))})`,
  }
}

function chatSamples(origin: string, body: RequestCall['body']): readonly Sample[] {
  const model = JSON.stringify(body.model)
  const question = JSON.stringify(lastWords(body.messages))
  return [
    fetchSample(`${origin}/v1/chat/completions`, body),
    {
      language: 'openai',
      code: `import OpenAI from 'openai'

const client = new OpenAI({ baseURL: '${origin}/v1', apiKey: ${token} })
const { choices } = await client.chat.completions.create(${js(body)})`,
    },
    {
      language: '@anthropic-ai/sdk',
      code: `import Anthropic from '@anthropic-ai/sdk'

const client = new Anthropic({ baseURL: '${origin}', apiKey: ${token} })
const { content } = await client.messages.create({
  model: ${model},
  max_tokens: ${JSON.stringify(body.max_tokens ?? 512)},
  messages: [{ role: 'user', content: ${question} }],
})`,
    },
    {
      language: '@octoai/client',
      code: `import { Client } from '@octoai/client'

const client = new Client(${token})
const { choices } = await client.chat.completions.create(${js(body)}, '${origin}/v1/chat/completions')`,
    },
    {
      language: '@octoai/sdk',
      code: `import { OctoAIClient } from '@octoai/sdk'

const environment = { default: '${origin}', imageGen: '${origin}', textGen: '${origin}' }
const client = new OctoAIClient({ apiKey: ${token}, environment })
const { choices } = await client.textGen.createChatCompletion(${js(camelCase(body))})`,
    },
    {
      language: 'ai',
      code: `import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText } from 'ai'

const sepia = createOpenAICompatible({ name: 'sepia', baseURL: '${origin}/v1', apiKey: ${token} })
const { text } = await generateText({ model: sepia(${model}), prompt: ${question} })`,
    },
    {
      language: 'LangChain',
      code: `import { ChatOpenAI } from '@langchain/openai'

const configuration = { baseURL: '${origin}/v1' }
const chat = new ChatOpenAI({ model: ${model}, apiKey: ${token}, configuration })
const { text } = await chat.invoke(${question})`,
    },
    {
      language: 'LlamaIndex',
      code: `import { openai } from '@llamaindex/openai'

const llm = openai({ model: ${model}, apiKey: ${token}, baseURL: '${origin}/v1' })
const { message } = await llm.chat({ messages: [{ role: 'user', content: ${question} }] })`,
    },
  ]
}

function fetchSample(url: string, body: RequestCall['body']): Sample {
  return {
    language: 'fetch',
    code: `const response = await fetch('${url}', {
  method: 'POST',
  headers: { authorization: \`Bearer \${${token}}\`, 'content-type': 'application/json' },
  body: JSON.stringify(${js(body).replaceAll('\n', '\n  ')}),
})
const answer = await response.json()`,
  }
}

function openaiImage({ checkpoint, model, width, height, num_images, ...rest }: RequestCall['body']): object {
  const { prompt, seed, steps, negative_prompt } = rest
  return {
    model: model ?? checkpoint,
    prompt,
    n: num_images,
    size: width && height ? `${width}x${height}` : undefined,
    seed,
    steps,
    negative_prompt,
  }
}

function lastWords(messages: unknown): string {
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : null
  const content: unknown = typeof last === 'object' && last !== null && 'content' in last ? last.content : null
  return typeof content === 'string' ? content : ''
}

function js(value: object): string {
  return JSON.stringify(value, null, 2)
}
