import { isRecord } from '../../../../core/json-value.ts'
import type { ChatBody } from '../../../../http/wire/chat/chat-request.ts'
import type { RequestCall } from '../../../contract/requests.ts'
import { camelCase, curlSample, pythonSample, type Sample } from '../../interface/code-samples.ts'
import { isDeferrable } from '../../interface/inference-requests.ts'
import { chatSamples } from '../chat/chat-samples.ts'

const token = 'process.env.TOKEN'

/** A request as a call of every client that is known to work with the service. */
export function callSamples(origin: string, { path, body }: RequestCall): readonly Sample[] {
  const url = `${origin}${path}`
  const later = isDeferrable({ path }) ? [{ language: 'curl, asynchronous', code: curlSample(url, body, ['X-Service-Async: 1']) }] : []
  // Clients may send null for an absent field.
  const named = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
  if (path === '/v1/chat/completions' && isChat(named)) {
    const { stream: _, stream_options: __, ...whole } = named
    return chatSamples(origin, whole).flatMap((sample) => (sample.language === 'curl' ? [sample, ...later] : [sample]))
  }
  const common: readonly Sample[] = [
    { language: 'curl', code: curlSample(url, body) },
    ...later,
    { language: 'Python', code: pythonSample(url, body, 'answer = response.json()') },
  ]
  return path.startsWith('/generate/') ? [...common, ...imageSamples(origin, url, { path, body })] : [...common, fetchSample(url, body)]
}

/** Whether a body can be shown as a conversation. The request log also has those that the service rejected. */
function isChat(body: RequestCall['body']): body is RequestCall['body'] & ChatBody {
  const { messages } = body
  return (
    Array.isArray(messages) && messages.every((each) => isRecord(each) && (!Array.isArray(each.content) || each.content.every(isRecord)))
  )
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

function js(value: object): string {
  return JSON.stringify(value, null, 2)
}
