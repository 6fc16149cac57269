import type { Inference, InferenceStatus } from '../../core/inference.ts'
import type { NumberedRequest } from '../../core/ports/request-log.ts'
import type { WebhookDelivery } from '../../core/ports/webhook-log.ts'

/** The query of GET /console/api/requests; null = any. */
export interface RequestQuery {
  readonly of: 'me' | 'everyone'
  readonly search: string | null
  readonly kind: NumberedRequest['kind'] | null
  /** Only the caller's own asynchronous ones in this state. */
  readonly status: InferenceStatus | null
  /** Only asynchronous ones, or only those whose caller waited. */
  readonly way: 'asynchronous' | 'synchronous' | null
  /** `next` of the page before; null = from the newest. */
  readonly after: string | null
}

/** One request in the list. */
export interface ListedRequest extends Pick<NumberedRequest, 'id' | 'kind' | 'model' | 'at' | 'result'> {
  /** Unlike the id, which callers may choose, nobody else's in the list. */
  readonly key: string
  /** Who asked, where the list is everybody's. */
  readonly account: string | null
  /** Name of the access token; null = it came from the console. */
  readonly token: string | null
  /** The beginning of what was asked; null = it is not kept, or another's. */
  readonly excerpt: string | null
  /** How an asynchronous one stands; null = its caller waited, or its record is gone. */
  readonly inference: Inference | null
  /** Address of a picture that it drew, where that is the caller's own and still stored. */
  readonly picture: string | null
}

/** GET /console/api/requests. */
export interface RequestPage {
  /** Newest first. */
  readonly requests: readonly ListedRequest[]
  /** To pass as `after` for the next page, or null. */
  readonly next: string | null
}

/** What asks for a request again. */
export interface RequestCall {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

/** GET /console/api/requests/:id, by the id of an asynchronous request or the key of any. */
export interface RequestShown extends Pick<NumberedRequest, 'id' | 'kind' | 'model' | 'at' | 'result'> {
  /** Its owner, where that is somebody else; null = the caller. */
  readonly account: string | null
  /** How an asynchronous one stands; null = its caller waited, or its record is gone. */
  readonly inference: Inference | null
  /** Whether the request log has its bodies. */
  readonly logged: boolean
  /** Name of the access token; null = the console, or nobody knows any more. */
  readonly token: string | null
  /** The request, for the caller's own asynchronous ones; null = it is not kept here. */
  readonly call: RequestCall | null
  /** The latest first. */
  readonly deliveries: readonly Omit<WebhookDelivery, 'accountId'>[]
}
