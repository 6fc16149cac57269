import Type from 'typebox'
import type { FieldFault } from '../../../core/error.ts'
import { closed, optional } from '../../faults/object-schema.ts'
import { fieldFault } from '../../faults/refuse-faults.ts'

/** The fields about the answer's delivery. */
export const streamFields = optional({
  stream: Type.Boolean({ default: false, description: 'Whether the answer comes as server-sent events.' }),
  stream_options: closed(
    { include_usage: Type.Optional(Type.Boolean({ default: false })), include_obfuscation: Type.Optional(Type.Boolean()) },
    {
      description:
        '`include_usage: true` ends a stream with token counts; `include_obfuscation` is accepted, events are never padded. Needs stream.',
    },
  ),
})

interface StreamBody {
  readonly stream?: boolean
  readonly stream_options?: { readonly include_usage?: boolean }
}

/** The delivery of an answer. */
export interface Delivery {
  readonly stream: boolean
  /** Whether a stream ends with a chunk of token counts. */
  readonly includeUsage: boolean
  /** Whether chunks have timings; absent = no. */
  readonly timings?: boolean
}

/** The delivery of an answer: whole and without usage by default. */
export function readDelivery(body: StreamBody): Delivery {
  return { stream: body.stream ?? false, includeUsage: body.stream_options?.include_usage ?? false }
}

/** Finds stream options without a stream. */
export function findStreamFaults(body: StreamBody): readonly FieldFault[] {
  if (body.stream_options === undefined || body.stream === true) return []
  return [fieldFault('stream_options', 'needs `stream: true`; set it, or leave the options out.')]
}
