import type { Inference, InferenceStatus } from '../../core/inference.ts'
import type { NumberedRequest } from '../../core/ports/request-log.ts'
import type { WebhookDelivery } from '../../core/ports/webhook-log.ts'

/** The query of GET /console/api/requests; null = any. */
export interface RequestQuery {
  readonly of: 'me' | 'everyone'
  readonly search: string | null
  readonly kind: NumberedRequest['kind'] | null
  /** Only the caller's own asynchronous requests in this state. */
  readonly status: InferenceStatus | null
  /** Only asynchronous or only synchronous requests. */
  readonly way: 'asynchronous' | 'synchronous' | null
  /** The `next` of the previous page; null = from the newest. */
  readonly after: string | null
}

/** One request in the list. */
export interface ListedRequest extends Pick<NumberedRequest, 'id' | 'kind' | 'model' | 'at' | 'result'> {
  /** Unique in the list, unlike the id, which callers may choose. */
  readonly key: string
  /** The account, in a list of all accounts. */
  readonly account: string | null
  /** Name of the access token; null = sent from the console. */
  readonly token: string | null
  /** The beginning of the prompt; null = not stored, or another account's. */
  readonly excerpt: string | null
  /** The state of an asynchronous request; null = synchronous, or its record is deleted. */
  readonly inference: Inference | null
  /** Address of a picture that it drew, if it is the caller's own and still stored. */
  readonly picture: string | null
}

/** GET /console/api/requests. */
export interface RequestPage {
  /** Newest first. */
  readonly requests: readonly ListedRequest[]
  /** The value of `after` for the next page, or null. */
  readonly next: string | null
}

/** The data to send a request again. */
export interface RequestCall {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** GET /console/api/requests/:id, by the id of an asynchronous request or the key of any. */
export interface RequestShown extends Pick<NumberedRequest, 'id' | 'kind' | 'model' | 'at' | 'result'> {
  /** Its account, if another than the caller's; otherwise null. */
  readonly account: string | null
  /** The state of an asynchronous request; null = synchronous, or its record is deleted. */
  readonly inference: Inference | null
  /** Whether the request log has its bodies. */
  readonly logged: boolean
  /** Name of the access token; null = the console, or unknown. */
  readonly token: string | null
  /** The request, for the caller's own asynchronous ones; null = not stored. */
  readonly call: RequestCall | null
  /** Latest first. */
  readonly deliveries: readonly Omit<WebhookDelivery, 'accountId'>[]
}
