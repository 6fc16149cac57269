import type { Inference } from '../../../core/inference.ts'
import { type AsyncAddress, encodeInference } from './inference.ts'

/** The announcement of a completed inference, in the form of Standard Webhooks: its type, when it happened, and the poll body. */
export function encodeWebhook(address: AsyncAddress, inference: Inference, at: number): string {
  return JSON.stringify({ type: 'inference.completed', timestamp: new Date(at).toISOString(), data: encodeInference(address, inference) })
}
