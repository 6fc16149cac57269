import { type ErrorRecord, fromErrorRecord, ServiceError } from '../../../core/error.ts'
import type { BatchEndpoint } from '../../../core/files/batch.ts'
import { type ModelAliases, withModelId } from '../../../core/find-descriptor.ts'
import type { InferenceWork } from '../../../core/inference.ts'
import { isRecord } from '../../../core/json-value.ts'
import type { Clock } from '../../../core/ports/clock.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { shortName } from '../../../core/requests/request-record.ts'
import type { TextRequest } from '../../../core/text-generation.ts'
import { toErrorBody } from '../../faults/error-body.ts'
import { errorStatus } from '../../faults/error-status.ts'
import { parseJson } from '../../json/parse-json.ts'
import { readStoredChat } from '../chat/chat-completion.ts'
import { createChatRequestParser } from '../chat/chat-request.ts'
import { createCompletionRequestParser } from '../chat/completion-request.ts'
import { parseEmbeddingRequest } from '../chat/embedding-request.ts'
import { withAdapters } from '../chat/fields/adapter-fields.ts'
import { refuseStoring } from '../chat/fields/storing-fields.ts'
import { admitText } from '../chat/overlong-prompt.ts'
import { longestAnswer, requireTextModel } from '../chat/require-text-model.ts'
import type { BodySettings } from '../chat/sampling-fields.ts'
import { withModelDefaults } from '../chat/with-model-defaults.ts'
import { expectOutputBytes } from '../deferred/output-size.ts'
import { encodeStoredImages } from '../images/openai/images-answer.ts'
import { parseOpenAiImageRequest } from '../images/openai/resolve-images.ts'
import { encodeFinished, startResponse } from '../responses/response.ts'
import { parseResponseRequest, type ResponseBody, readResponseRequest } from '../responses/response-request.ts'

const maxIdLength = 512

/** Reads and encodes lines of batches. A line's body is that of its endpoint, without streams. */
export function createBatchWords(
  { catalogFor, clock }: { readonly catalogFor: (accountId: string) => ModelCatalog; readonly clock: Clock },
  settings: BodySettings & { readonly imagePixels: number; readonly modelAliases?: ModelAliases },
): {
  readonly readLine: (bytes: Buffer<ArrayBuffer>, endpoint: BatchEndpoint) => { readonly customId: string; readonly body: unknown }
  readonly readWork: (body: unknown, batch: BatchOf) => { readonly work: InferenceWork; readonly outputBytes: number }
  readonly encodeAnswer: (body: unknown, endpoint: BatchEndpoint, output: Buffer) => Buffer
  readonly encodeFailure: (error: ErrorRecord) => { readonly status: number; readonly body: object }
} {
  const parseChat = createChatRequestParser(settings)
  const parseCompletion = createCompletionRequestParser(settings)
  const readText = (body: unknown, request: TextRequest, catalog: ModelCatalog): InferenceWork => {
    const model = admitText(catalog, request, { bytes: JSON.stringify(body).length })
    return { kind: 'chat', request: withAdapters(catalog, request, model) }
  }
  const readWork = (body: unknown, { endpoint, accountId }: BatchOf): InferenceWork => {
    if (isRecord(body) && body.stream === true) throw refusal('stream', 'must be left out of a batch; batches cannot stream.')
    const catalog = catalogFor(accountId)
    if (endpoint === '/v1/images/generations') {
      const { request, delivery } = parseOpenAiImageRequest(catalog, body, settings.imagePixels)
      if (delivery.links) throw refusal('response_format', 'must be b64_json in a batch; its file holds the images.')
      return { kind: 'image', request }
    }
    if (endpoint === '/v1/responses') {
      const response = readResponse(catalog, body)
      const model = requireTextModel(catalog, response.model, 'generate')
      return readText(body, readResponseRequest(response, [], { tokens: longestAnswer(model) }), catalog)
    }
    if (endpoint === '/v1/chat/completions') {
      const chat = parseChat(withModelDefaults(catalog, body))
      refuseStoring(chat.storing, "a batch's lines: their answers are kept in its file")
      return readText(body, chat.request, catalog)
    }
    if (endpoint === '/v1/completions') {
      const completion = parseCompletion(withModelDefaults(catalog, body))
      if (completion.others.length > 0) throw refusal('prompt', "must be one in a batch's line; write a line for each.")
      return readText(body, completion.request, catalog)
    }
    const { request, encoding } = parseEmbeddingRequest(body)
    requireTextModel(catalog, request.model, 'embed')
    return { kind: 'embedding', request, asBase64: encoding === 'base64' }
  }
  return {
    readLine: readBatchLine,
    readWork(body, batch) {
      const catalog = catalogFor(batch.accountId)
      const work = readWork(isRecord(body) ? withModelId(catalog, body, settings.modelAliases) : body, batch)
      return { work, outputBytes: expectOutputBytes(work) }
    },
    encodeAnswer(body, endpoint, output) {
      if (endpoint === '/v1/images/generations')
        return Buffer.from(JSON.stringify(encodeStoredImages(clock, Object(body), JSON.parse(output.toString()))))
      if (endpoint !== '/v1/responses') return output
      const response = encodeFinished(startResponse(clock), readResponse(null, body), readStoredChat(output.toString()))
      return Buffer.from(JSON.stringify(response))
    },
    encodeFailure: (error) => ({ status: errorStatus[error.code], body: toErrorBody(fromErrorRecord(error)) }),
  }
}

/** The account and the endpoint of a line. */
interface BatchOf {
  readonly endpoint: BatchEndpoint
  readonly accountId: string
}

/**
 * The body of a response in a batch. Its answer is stored only in the batch's file.
 *
 * @param catalog null = its model may be gone.
 */
function readResponse(catalog: ModelCatalog | null, body: unknown): ResponseBody {
  const response = parseResponseRequest(catalog === null ? body : withModelDefaults(catalog, body, ['temperature', 'topP']))
  if (response.background === true) throw refusal('background', 'must be left out of a batch, whose lines always run in the background.')
  if (response.store === true) throw refusal('store', "must be left out of a batch's lines: their answers are kept in its file.")
  if (response.previous_response_id !== undefined)
    throw refusal('previous_response_id', 'must be left out of a batch; send the conversation as `input`.')
  return { ...response, store: false }
}

function readBatchLine(bytes: Buffer<ArrayBuffer>, endpoint: BatchEndpoint): { readonly customId: string; readonly body: unknown } {
  const line = parseJson(bytes, 'invalid_request_error')
  if (!isRecord(line)) throw new ServiceError('invalid_request_error', 'Send a JSON object in each line.')
  const { custom_id: customId, method, url, body, ...rest } = line
  if (typeof customId !== 'string' || customId === '' || customId.length > maxIdLength)
    throw refusal('custom_id', `must be a string of 1 to ${maxIdLength} characters.`)
  if (method !== 'POST') throw refusal('method', 'must be POST.')
  if (url !== endpoint) throw refusal('url', `must be ${endpoint}, the endpoint of the batch.`)
  if (!isRecord(body)) throw refusal('body', 'must be the JSON object that the endpoint takes.')
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) throw refusal(shortName(unknown), 'is not a known field of a line: use custom_id, method, url and body.')
  return { customId, body }
}

function refusal(param: string, text: string): ServiceError {
  return new ServiceError('invalid_request_error', `\`${param}\` ${text}`, { param })
}
