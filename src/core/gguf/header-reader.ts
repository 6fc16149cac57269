/** Reads bytes of a file from a position on; fewer at its end. */
export type ReadAt = (position: number, bytes: number) => Promise<Uint8Array>

/** Bytes read from the file at once. */
const pieceBytes = 1 << 16
const utf8 = new TextDecoder()
/** Of every byte it makes another character. */
const latin = new TextDecoder('latin1')

/** Reads little-endian values from the beginning of a file, one after the other; what is skipped is not read. */
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
  async readUnsigned(bytes: 1 | 2 | 4 | 8): Promise<number> {
    const at = await this.#advance(bytes)
    if (bytes === 8) return Number(this.#piece.getBigUint64(at, true))
    if (bytes === 4) return this.#piece.getUint32(at, true)
    return bytes === 2 ? this.#piece.getUint16(at, true) : this.#piece.getUint8(at)
  }

  /** @throws {RangeError} as above. */
  async readFloat32(): Promise<number> {
    const at = await this.#advance(4)
    return this.#piece.getFloat32(at, true)
  }

  /** @throws {RangeError} as above, and for a text longer than one piece. */
  readText(bytes: number): Promise<string> {
    return this.#decode(bytes, utf8)
  }

  /** The same with one character for each byte. */
  readBytes(bytes: number): Promise<string> {
    return this.#decode(bytes, latin)
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

  async #decode(bytes: number, decoder: { decode(bytes: Uint8Array): string }): Promise<string> {
    if (bytes > pieceBytes) throw new RangeError('The text is too long.')
    const at = await this.#advance(bytes)
    return decoder.decode(new Uint8Array(this.#piece.buffer, this.#piece.byteOffset + at, bytes))
  }

  /** Moves on by so many bytes and returns where in the piece they begin. */
  async #advance(bytes: number): Promise<number> {
    const at = this.#position - this.#pieceStart
    this.skip(bytes)
    if (at + bytes <= this.#piece.byteLength) return at
    this.#pieceStart = this.#position - bytes
    const piece = await this.#read(this.#pieceStart, pieceBytes)
    this.#piece = new DataView(piece.buffer, piece.byteOffset, piece.byteLength)
    if (piece.byteLength < bytes) throw new RangeError('The file ends within its header.')
    return 0
  }
}
