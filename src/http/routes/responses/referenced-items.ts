import { setImmediate } from 'node:timers/promises'
import { ServiceError } from '../../../core/error.ts'
import { isRecord, type JsonValue } from '../../../core/json-value.ts'
import type { Abortable } from '../../../core/waiting.ts'
import type { RouteDependencies } from '../../http-dependencies.ts'
import { responseOf } from '../../wire/responses/output-items.ts'
import { findResponse, type ResponseTarget } from './kept-response.ts'

/**
 * A request's body with each `item_reference` in its input replaced by the item of a stored response, as if the client had sent it.
 *
 * @param from.take Counts their bytes as those of the body.
 * @throws {ServiceError} `invalid_request_error` for an item that is not stored, and the errors of `from.take`.
 */
export async function withReferencedItems(
  deps: RouteDependencies,
  { accountId, body, take }: { readonly accountId: string; readonly body: unknown; readonly take: (bytes: number) => void },
  options: Abortable,
): Promise<unknown> {
  const input: readonly unknown[] = isRecord(body) && Array.isArray(body.input) ? body.input : []
  const uses = Map.groupBy(input, referenceIn)
  uses.delete(null)
  if (!isRecord(body) || uses.size === 0) return body
  const read = new Set<string>()
  const known = new Map<string, JsonValue>()
  const items: unknown[] = []
  for (const [index, item] of input.entries()) {
    const id = referenceIn(item)
    const response = id === null ? null : responseOf(id)
    if (response !== null && !read.has(response)) {
      read.add(response)
      // With its input, a response may have many megabytes: only the items that are needed are held, and other requests get their turn.
      for (const each of await readOutput(deps, { accountId, id: response }, options)) {
        const itsId = idOf(each)
        const { length: times = 0 } = uses.get(itsId) ?? []
        if (itsId === null || times === 0) continue
        take(times * Buffer.byteLength(JSON.stringify(each)))
        known.set(itsId, each)
      }
      await setImmediate()
      options.signal.throwIfAborted()
    }
    const referenced = id === null ? item : known.get(id)
    if (referenced === undefined) throw notStored(index)
    items.push(referenced)
  }
  return { ...body, input: items }
}

/** The items of a stored response; none if it is not stored. */
async function readOutput(deps: RouteDependencies, target: ResponseTarget, options: Abortable): Promise<readonly JsonValue[]> {
  const found = await findResponse(deps, target, options).catch(orNothing)
  return Array.isArray(found?.response.output) ? found.response.output : []
}

/** The id in a reference; null for any other item. */
function referenceIn(item: unknown): string | null {
  return isRecord(item) && item.type === 'item_reference' ? idOf(item) : null
}

function idOf(item: unknown): string | null {
  return isRecord(item) && typeof item.id === 'string' ? item.id : null
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
