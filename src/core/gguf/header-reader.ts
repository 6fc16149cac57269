/** Reads bytes of a file from a position on; fewer at its end. */
export type ReadAt = (position: number, bytes: number) => Promise<Uint8Array>

/** Bytes read from the file at once. */
const pieceBytes = 1 << 16
const utf8 = new TextDecoder()
/** Of every byte it makes another character. */
const latin = new TextDecoder('latin1')

type NumberBytes = 1 | 2 | 4 | 8

/**
 * Reads little-endian values from the beginning of a file, one after the other; what is skipped is not read. Lists wait only where a new piece of the file
 * begins: a vocabulary has hundreds of thousands of entries.
 */
export class HeaderReader {
  readonly #read: ReadAt
  readonly #longest: number
  #piece: DataView = new DataView(new ArrayBuffer(0))
  #pieceStart = 0
  #position = 0

  /** @param longest Bytes after which the header counts as broken. */
  constructor(read: ReadAt, longest: number) {
    this.#read = read
    this.#longest = longest
  }

  /** @throws {RangeError} at the end of the file or of what may be read. */
  async readUnsigned(bytes: NumberBytes): Promise<number> {
    return this.#unsignedAt(this.#passWithin(bytes) ?? (await this.#advance(bytes)), bytes)
  }

  /** @throws {RangeError} as above. */
  async readUnsignedList(count: number, bytes: NumberBytes): Promise<number[]> {
    const list: number[] = []
    while (list.length < count) list.push(this.#unsignedAt(this.#passWithin(bytes) ?? (await this.#advance(bytes)), bytes))
    return list
  }

  /** @throws {RangeError} as above. */
  async readFloat32(): Promise<number> {
    const at = await this.#advance(4)
    return this.#piece.getFloat32(at, true)
  }

  /** @throws {RangeError} as above, and for a text longer than one piece. */
  async readText(bytes: number): Promise<string> {
    return this.#decodeAt(this.#passWithin(bytes) ?? (await this.#advanceText(bytes)), bytes, utf8)
  }

  /** Texts that each come after their length, with one character for each byte. */
  async readByteTexts(count: number): Promise<string[]> {
    const texts: string[] = []
    while (texts.length < count) {
      const bytes = this.#unsignedAt(this.#passWithin(8) ?? (await this.#advance(8)), 8)
      texts.push(this.#decodeAt(this.#passWithin(bytes) ?? (await this.#advanceText(bytes)), bytes, latin))
    }
    return texts
  }

  /** Passes over texts that each come after their length. */
  async skipTexts(count: number): Promise<void> {
    for (let index = 0; index < count; index++) this.skip(this.#unsignedAt(this.#passWithin(8) ?? (await this.#advance(8)), 8))
  }

  /** Bytes from the beginning of the file to what comes next. */
  get position(): number {
    return this.#position
  }

  /** Passes over bytes without reading them. */
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

  /** Moves on by so many bytes where the piece has them, and returns where in it they begin; null = the next piece is needed. */
  #passWithin(bytes: number): number | null {
    const at = this.#position - this.#pieceStart
    if (at + bytes > this.#piece.byteLength) return null
    this.skip(bytes)
    return at
  }

  /** The same with the next piece of the file, where this one does not have them. */
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
