import { ServiceError } from '../../../core/error.ts'
import { isRecord, type JsonValue } from '../../../core/json-value.ts'
import type { Abortable } from '../../../core/waiting.ts'
import { responseOf } from '../../wire/responses/output-items.ts'
import { findResponse, type ResponseDependencies } from './kept-response.ts'

/**
 * A request's body with each `item_reference` in its input replaced by the item of a stored response, as if the client had sent it.
 *
 * @param from.take Counts their bytes as those of the body.
 * @throws {ServiceError} `invalid_request_error` for an item that is not stored, and the errors of `from.take`.
 */
export async function withReferencedItems(
  deps: ResponseDependencies,
  { accountId, body, take }: { readonly accountId: string; readonly body: unknown; readonly take: (bytes: number) => void },
  options: Abortable,
): Promise<unknown> {
  const input: readonly unknown[] = isRecord(body) && Array.isArray(body.input) ? body.input : []
  if (!isRecord(body) || !input.some((item) => referenceIn(item) !== null)) return body
  const outputs = new Map<string, readonly JsonValue[]>()
  const outputOf = async (id: string): Promise<readonly JsonValue[]> => {
    const known = outputs.get(id)
    if (known !== undefined) return known
    const found = await findResponse(deps, { accountId, id }, options).catch(orNothing)
    const output: readonly JsonValue[] = Array.isArray(found?.response.output) ? found.response.output : []
    outputs.set(id, output)
    return output
  }
  const items: unknown[] = []
  for (const [index, item] of input.entries()) {
    const id = referenceIn(item)
    const response = id === null ? null : responseOf(id)
    const referenced = response === null ? undefined : (await outputOf(response)).find((each) => isRecord(each) && each.id === id)
    if (id !== null && referenced === undefined) throw notStored(index)
    if (referenced !== undefined) take(Buffer.byteLength(JSON.stringify(referenced)))
    items.push(referenced ?? item)
  }
  return { ...body, input: items }
}

/** The id in a reference; null for any other item. */
function referenceIn(item: unknown): string | null {
  return isRecord(item) && item.type === 'item_reference' && typeof item.id === 'string' ? item.id : null
}

function orNothing(error: unknown): null {
  if (error instanceof ServiceError && error.code === 'not_found') return null
  throw error
}

function notStored(index: number): ServiceError {
  const param = `input[${index}]`
  const words = `\`${param}\` refers to an item that is not stored: send the item itself, as clients do with \`store: false\`.`
  return new ServiceError('invalid_request_error', words, { param })
}
