import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Abortable } from '../../../core/waiting.ts'
import { maxHeadBytes, protobufFields, protobufNumbers, readProtobufField } from './protobuf-fields.ts'

/** Field numbers of onnx.proto, as far as they lead to the strides of convolutions. */
const graphField = 7
const nodeField = 1
const nodeType = 4
const nodeAttribute = 5
const attributeName = 1
const attributeIntegers = 8

/** Maximum size of a node without a constant: its names and a few numbers. */
const maxNodeBytes = 64 * 1024
const windowBytes = 256 * 1024

/**
 * Counts the convolutions of stride two in a UNet's graph, each of which halves its input. Weights are skipped.
 *
 * @see https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
 */
export async function countHalvings(folder: string, file: string, { signal }: Abortable): Promise<number> {
  await using handle = await open(join(folder, file))
  const { size } = await handle.stat()
  const window = new FileWindow(handle)
  let halvings = 0
  for await (const graph of window.fields(0, size)) {
    if (graph.number !== graphField) continue
    for await (const node of window.fields(graph.start, graph.end)) {
      signal.throwIfAborted()
      if (node.number !== nodeField || node.end - node.start > maxNodeBytes) continue
      if (isHalving(await window.read(node.start, node.end))) halvings++
    }
  }
  return halvings
}

/** A file read a window at a time, forwards. */
class FileWindow {
  readonly #handle: FileHandle
  #bytes = Buffer.alloc(0)
  #start = 0

  constructor(handle: FileHandle) {
    this.#handle = handle
  }

  async read(start: number, end: number): Promise<Buffer> {
    if (start < this.#start || end > this.#start + this.#bytes.length) {
      const bytes = Buffer.alloc(Math.max(end - start, windowBytes))
      const { bytesRead } = await this.#handle.read(bytes, 0, bytes.length, start)
      this.#bytes = bytes.subarray(0, bytesRead)
      this.#start = start
    }
    return this.#bytes.subarray(start - this.#start, end - this.#start)
  }

  /** The fields of the message between two places. */
  async *fields(start: number, end: number): AsyncGenerator<{ readonly number: number; readonly start: number; readonly end: number }> {
    for (let at = start; at < end; ) {
      const field = readProtobufField(await this.read(at, Math.min(at + maxHeadBytes, end)))
      if (field === null) return
      const next = at + field.head + field.length
      yield { number: field.number, start: at + field.head, end: next }
      at = next
    }
  }
}

function isHalving(node: Uint8Array): boolean {
  let isConvolution = false
  let strides: readonly number[] = []
  for (const { number, bytes } of protobufFields(node)) {
    if (number === nodeType) isConvolution = text(bytes) === 'Conv'
    if (number !== nodeAttribute) continue
    const parts = [...protobufFields(bytes)]
    if (parts.some((part) => part.number === attributeName && text(part.bytes) === 'strides'))
      strides = parts.filter((part) => part.number === attributeIntegers).flatMap(protobufNumbers)
  }
  return isConvolution && strides.some((stride) => stride > 1)
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}
