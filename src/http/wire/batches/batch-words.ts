import { type ErrorRecord, fromErrorRecord, ServiceError } from '../../../core/error.ts'
import type { BatchEndpoint } from '../../../core/files/batch.ts'
import type { InferenceWork } from '../../../core/inference.ts'
import { isRecord } from '../../../core/is-record.ts'
import type { ModelCatalog } from '../../../core/ports/model-catalog.ts'
import { shortName } from '../../../core/requests/short-name.ts'
import { promptField } from '../../../core/text-generation.ts'
import { errorStatus } from '../../answers/error-status.ts'
import { parseJson } from '../../body/parse-json.ts'
import { withModelDefaults } from '../../body/with-model-defaults.ts'
import { pictureBytes, refuseOverlong } from '../../limits/overlong-prompt.ts'
import { requireTextModel, useOf } from '../../require-text-model.ts'
import { createChatRequestParser } from '../chat/chat-request.ts'
import { createCompletionRequestParser } from '../chat/completion-request.ts'
import { parseEmbeddingRequest } from '../chat/embedding-request.ts'
import { refuseStoring } from '../chat/fields/storing-fields.ts'
import { expectOutputBytes } from '../deferred/output-size.ts'
import { toErrorBody } from '../faults/error-body.ts'

const mostIdLength = 512

/** How lines of batches are read and answered; each endpoint's body is what the endpoint itself takes, but for streams. */
export function createBatchWords(
  { catalog }: { readonly catalog: ModelCatalog },
  settings: { readonly widePenalties: boolean },
): {
  readonly readLine: (bytes: Buffer<ArrayBuffer>, endpoint: BatchEndpoint) => { readonly customId: string; readonly body: unknown }
  readonly readWork: (body: unknown, endpoint: BatchEndpoint) => { readonly work: InferenceWork; readonly outputBytes: number }
  readonly encodeFailure: (error: ErrorRecord) => { readonly status: number; readonly body: object }
} {
  const parseChat = createChatRequestParser(settings)
  const parseCompletion = createCompletionRequestParser(settings)
  const readText = (
    body: unknown,
    { request, delivery }: Pick<ReturnType<typeof parseCompletion>, 'request' | 'delivery'>,
  ): InferenceWork => {
    if (delivery.stream) throw refusal('stream', 'must be left out of a batch; batches cannot stream.')
    const { length } = JSON.stringify(body)
    refuseOverlong(requireTextModel(catalog, request.model, useOf(request.input, 'generate')), {
      bytes: length - pictureBytes(request),
      param: promptField(request.input),
    })
    return { kind: 'chat', request }
  }
  const readWork = (body: unknown, endpoint: BatchEndpoint): InferenceWork => {
    if (endpoint === '/v1/chat/completions') {
      const chat = parseChat(withModelDefaults(catalog, body))
      refuseStoring(chat.storing, "a batch's lines: their answers are kept in its file")
      return readText(body, chat)
    }
    if (endpoint === '/v1/completions') {
      const completion = parseCompletion(withModelDefaults(catalog, body))
      if (completion.others.length > 0) throw refusal('prompt', "must be one in a batch's line; write a line for each.")
      return readText(body, completion)
    }
    const { request, encoding } = parseEmbeddingRequest(body)
    requireTextModel(catalog, request.model, 'embed')
    return { kind: 'embedding', request, asBase64: encoding === 'base64' }
  }
  return {
    readLine: readBatchLine,
    readWork(body, endpoint) {
      const work = readWork(body, endpoint)
      return { work, outputBytes: expectOutputBytes(work) }
    },
    encodeFailure: (error) => ({ status: errorStatus[error.code], body: toErrorBody(fromErrorRecord(error)) }),
  }
}

function readBatchLine(bytes: Buffer<ArrayBuffer>, endpoint: BatchEndpoint): { readonly customId: string; readonly body: unknown } {
  const line = parseJson(bytes, 'invalid_request_error')
  if (!isRecord(line)) throw new ServiceError('invalid_request_error', 'Send a JSON object in each line.')
  const { custom_id: customId, method, url, body, ...rest } = line
  if (typeof customId !== 'string' || customId === '' || customId.length > mostIdLength)
    throw refusal('custom_id', `must be a string of 1 to ${mostIdLength} characters.`)
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
