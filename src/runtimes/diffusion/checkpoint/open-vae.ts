import type { OnnxSession } from '../onnx/onnx-session.ts'
import { UpcastingSession } from '../vae/upcasting-session.ts'
import { VaeDecoder } from '../vae/vae-decoder.ts'
import { VaeEncoder } from '../vae/vae-encoder.ts'
import type { GraphTarget } from './graph/find-graph-target.ts'
import { writeVaeDecoderGraph, writeVaeEncoderGraph } from './networks/vae-graph.ts'
import type { WeightTable } from './weights/weight-table.ts'

/** Both halves of a VAE in memory. */
export interface OpenedVae extends AsyncDisposable {
  readonly decoder: VaeDecoder
  /** null = the file has none, so that nothing can be drawn from a picture. */
  readonly encoder: VaeEncoder | null
}

/** SDXL's VAE leaves the range of half precision. */
function inSinglePrecision(target: GraphTarget): GraphTarget {
  return { ...target, precision: 'single' }
}

/** Opens a VAE of a checkpoint or of a file of its own. */
export async function openVae(weights: WeightTable, open: OpenNetwork): Promise<OpenedVae> {
  await using stack = new AsyncDisposableStack()
  const decoder = stack.use(await open(weights, 'vae_decoder', (as) => writeVaeDecoderGraph(weights, inSinglePrecision(as))))
  const encoder = weights.holds('encoder.')
    ? stack.use(await open(weights, 'vae_encoder', (as) => writeVaeEncoderGraph(weights, inSinglePrecision(as))))
    : null
  const sessions = stack.move()
  return {
    decoder: new VaeDecoder(new UpcastingSession(decoder.session)),
    encoder: encoder === null ? null : new VaeEncoder(new UpcastingSession(encoder.session)),
    [Symbol.asyncDispose]: () => sessions.disposeAsync(),
  }
}

/** A session over a checkpoint's weights; disposing it frees what it holds besides them. */
export interface OpenedNetwork extends AsyncDisposable {
  readonly session: OnnxSession
}

/** Opens a graph written for weights as a session; `part` names it in messages. */
export type OpenNetwork = (weights: WeightTable, part: string, write: (target: GraphTarget) => Uint8Array) => Promise<OpenedNetwork>
