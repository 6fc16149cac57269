import type { Duplex } from 'node:stream'
import { makeBrokenError } from '../upstream-error.ts'

/** Maximum bytes of a message; previews stay far below. */
const longestMessage = 16 * 1024 * 1024
/** Maximum frames with content in a message; servers mostly send one. */
const maxParts = 4096

const [textOpcode, binaryOpcode, closeOpcode, pingOpcode, pongOpcode] = [1, 2, 8, 9, 10]

/** A message from a websocket: UTF-8 text or bytes. */
export interface SocketMessage {
  readonly isText: boolean
  readonly bytes: Buffer
}

/**
 * Yields a server's websocket messages until either side closes it, and answers pings.
 *
 * @throws {ServiceError} `inference_failed` for a message over 16 MB or 4 096 frames, or data that violates the protocol.
 * @see RFC 6455, section 5
 */
export async function* readMessages(socket: Duplex): AsyncGenerator<SocketMessage, void, undefined> {
  let parts: Buffer[] = []
  let [length, isText] = [0, true]
  for await (const { opcode, isLast, bytes } of readFrames(socket)) {
    if (opcode === closeOpcode) return
    if (opcode === pingOpcode) socket.write(frameOf(pongOpcode, bytes))
    if (opcode >= closeOpcode) continue
    if (opcode === textOpcode || opcode === binaryOpcode) isText = opcode === textOpcode
    if (bytes.length > 0) parts.push(bytes)
    length += bytes.length
    if (length > longestMessage || parts.length > maxParts) throw tooLong()
    if (!isLast) continue
    yield { isText, bytes: Buffer.concat(parts) }
    parts = []
    length = 0
  }
}

interface Frame {
  readonly opcode: number
  readonly isLast: boolean
  readonly bytes: Buffer
}

async function* readFrames(socket: Duplex): AsyncGenerator<Frame, void, undefined> {
  let held: Buffer[] = []
  let [length, needed] = [0, 2]
  for await (const piece of socket) {
    held.push(piece)
    length += piece.length
    // Joined once the frame is complete, because joining every piece would copy a long frame repeatedly.
    if (length < needed) continue
    let bytes: Buffer = Buffer.concat(held)
    for (needed = sizeOf(bytes); bytes.length >= needed; needed = sizeOf(bytes)) {
      const head = headOf(bytes)
      yield { opcode: bytes.readUInt8(0) & 15, isLast: bytes.readUInt8(0) >= 128, bytes: bytes.subarray(head, needed) }
      bytes = bytes.subarray(needed)
    }
    held = [bytes]
    length = bytes.length
  }
}

function headOf(bytes: Buffer): number {
  const short = bytes.length < 2 ? 0 : bytes.readUInt8(1)
  return short === 127 ? 10 : short === 126 ? 4 : 2
}

/** Bytes of the first frame; those of its header until that has arrived. */
function sizeOf(bytes: Buffer): number {
  const head = headOf(bytes)
  if (bytes.length < head) return head
  // Servers mask nothing, and no extensions (compression) were requested.
  if ((bytes.readUInt8(0) & 0x70) !== 0 || bytes.readUInt8(1) >= 128) throw makeBrokenError('sent something other than a websocket')
  const length = head === 10 ? Number(bytes.readBigUInt64BE(2)) : head === 4 ? bytes.readUInt16BE(2) : bytes.readUInt8(1)
  if (length > longestMessage) throw tooLong()
  return head + length
}

/** A short client frame. Its mask is zero, so the payload stays as it is. */
function frameOf(opcode: number, bytes: Buffer): Buffer {
  const short = bytes.subarray(0, 125)
  return Buffer.concat([Buffer.from([0x80 | opcode, 0x80 | short.length, 0, 0, 0, 0]), short])
}

function tooLong(): Error {
  return makeBrokenError(`sent a message of over ${longestMessage} bytes or ${maxParts} parts`)
}
