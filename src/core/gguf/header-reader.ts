/** Reads bytes of a file from a position; returns fewer at its end. */
export type ReadAt = (position: number, bytes: number) => Promise<Uint8Array>

/** Bytes read from the file per call. */
const pieceBytes = 1 << 16
const utf8 = new TextDecoder()
/** Maps each byte to one character. */
const latin = new TextDecoder('latin1')

type NumberBytes = 1 | 2 | 4 | 8

/**
 * Reads little-endian values from the start of a file in order; skipped bytes are not read. List methods await only at the end of a
 * buffered piece, because vocabularies have hundreds of thousands of entries.
 */
export class HeaderReader {
  readonly #read: ReadAt
  readonly #longest: number
  #piece: DataView = new DataView(new ArrayBuffer(0))
  #pieceStart = 0
  #position = 0

  /** @param longest Maximum header size in bytes; longer headers count as damaged. */
  constructor(read: ReadAt, longest: number) {
    this.#read = read
    this.#longest = longest
  }

  /** @throws {RangeError} at the end of the file or of the maximum size. */
  async readUnsigned(bytes: NumberBytes): Promise<number> {
    return this.#unsignedAt(this.#passWithin(bytes) ?? (await this.#advance(bytes)), bytes)
  }

  /** @throws {RangeError} as {@link readUnsigned}. */
  async readUnsignedList(count: number, bytes: NumberBytes): Promise<number[]> {
    const list: number[] = []
    while (list.length < count) list.push(this.#unsignedAt(this.#passWithin(bytes) ?? (await this.#advance(bytes)), bytes))
    return list
  }

  /** @throws {RangeError} as {@link readUnsigned}. */
  async readFloat32(): Promise<number> {
    const at = await this.#advance(4)
    return this.#piece.getFloat32(at, true)
  }

  /** @throws {RangeError} as {@link readUnsigned}, and for a text longer than one piece. */
  async readText(bytes: number): Promise<string> {
    return this.#decodeAt(this.#passWithin(bytes) ?? (await this.#advanceText(bytes)), bytes, utf8)
  }

  /** Reads length-prefixed texts with one character per byte. */
  async readByteTexts(count: number): Promise<string[]> {
    const texts: string[] = []
    while (texts.length < count) {
      const bytes = this.#unsignedAt(this.#passWithin(8) ?? (await this.#advance(8)), 8)
      texts.push(this.#decodeAt(this.#passWithin(bytes) ?? (await this.#advanceText(bytes)), bytes, latin))
    }
    return texts
  }

  async skipTexts(count: number): Promise<void> {
    for (let index = 0; index < count; index++) this.skip(this.#unsignedAt(this.#passWithin(8) ?? (await this.#advance(8)), 8))
  }

  /** Offset of the next value from the start of the file. */
  get position(): number {
    return this.#position
  }

  skip(bytes: number): void {
    this.#position += bytes
    if (this.#position > this.#longest) throw new RangeError('The header is too long.')
  }

  #unsignedAt(at: number, bytes: NumberBytes): number {
    if (bytes === 8) return Number(this.#piece.getBigUint64(at, true))
    if (bytes === 4) return this.#piece.getUint32(at, true)
    return bytes === 2 ? this.#piece.getUint16(at, true) : this.#piece.getUint8(at)
  }

  #decodeAt(at: number, bytes: number, decoder: { decode(bytes: Uint8Array): string }): string {
    return decoder.decode(new Uint8Array(this.#piece.buffer, this.#piece.byteOffset + at, bytes))
  }

  #advanceText(bytes: number): Promise<number> {
    if (bytes > pieceBytes) throw new RangeError('The text is too long.')
    return this.#advance(bytes)
  }

  /** Advances within the buffered piece and returns the start; null = the next piece is needed. */
  #passWithin(bytes: number): number | null {
    const at = this.#position - this.#pieceStart
    if (at + bytes > this.#piece.byteLength) return null
    this.skip(bytes)
    return at
  }

  /** Advances, reading the next piece if needed. */
  async #advance(bytes: number): Promise<number> {
    const within = this.#passWithin(bytes)
    if (within !== null) return within
    this.skip(bytes)
    this.#pieceStart = this.#position - bytes
    const piece = await this.#read(this.#pieceStart, pieceBytes)
    this.#piece = new DataView(piece.buffer, piece.byteOffset, piece.byteLength)
    if (piece.byteLength < bytes) throw new RangeError('The file ends within its header.')
    return 0
  }
}
