import { imageServerFormats } from '../core/images/image-servers.ts'
import { isRecord } from '../core/is-record.ts'
import { textServerFormats } from '../core/model.ts'
import { samplers } from '../core/sampler.ts'
import { isWebAddress } from './describe/web-address.ts'
import type { ModelFile } from './model-file.ts'

/** One field of `model.json`; docs/models.md shows this table. */
export interface ModelFileField {
  /** Dotted path. */
  readonly name: string
  /** The models that may have it: all, those of a kind or a format, those that run elsewhere, and of these text or pictures. */
  readonly models: 'all' | 'upstream' | 'text-upstream' | 'image-upstream' | ModelFile['kind'] | ModelFile['format']
  /** What absence means; null = the field is required. */
  readonly absent: string | null
  /** What the value must be, completing the sentence "must be …". */
  readonly expected: string
  readonly meaning: string
  /** Why to remove it from models of a server that draws, for which it does nothing, though it is accepted there; absent = it does something. */
  readonly idle?: string
  readonly accepts: (value: unknown) => boolean
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '' && value.length <= 1000

const isNumber = (minimum: number, maximum: number) => (value: unknown) => typeof value === 'number' && value >= minimum && value <= maximum

const isWhole =
  (minimum: number, maximum: number, multiple = 1) =>
  (value: unknown) =>
    Number.isInteger(value) && isNumber(minimum, maximum)(value) && Number(value) % multiple === 0

const isOneOf = (choices: readonly string[]) => (value: unknown) => typeof value === 'string' && choices.includes(value)

const isId = (value: unknown) => isText(value) && /^[a-z0-9](?:[a-z0-9._:/-]{0,126}[a-z0-9])?$/.test(value)

const isPixels = isWhole(64, 4096, 8)

/** A path that stays inside its folder on every platform. */
export function isInnerPath(value: unknown): boolean {
  return isText(value) && !/^\/|[\\:\0]/.test(value) && !value.split('/').some((part) => part === '' || part === '.' || part === '..')
}

function isReplicas(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > 64) return false
  return value.every(
    (replica) => isWebAddress(replica) || (isRecord(replica) && isWebAddress(replica.url) && isWhole(1, 100)(replica.weight ?? 1)),
  )
}

function isFileRecord(value: unknown): boolean {
  if (!isRecord(value) || Object.keys(value).length === 0) return false
  return Object.entries(value).every(
    ([path, entry]) =>
      isInnerPath(path) &&
      isRecord(entry) &&
      isWhole(0, Number.MAX_SAFE_INTEGER)(entry.bytes) &&
      typeof entry.sha256 === 'string' &&
      /^[0-9a-f]{64}$/.test(entry.sha256),
  )
}

function isSizes(value: unknown): boolean {
  if (Array.isArray(value))
    return value.length > 0 && value.every((size) => isRecord(size) && isPixels(size.width) && isPixels(size.height))
  return isRecord(value) && isPixels(value.min) && isPixels(value.max) && Number(value.min) <= Number(value.max)
}

export const modelFileFields: readonly ModelFileField[] = [
  {
    name: 'id',
    models: 'all',
    absent: null,
    expected: '1 to 128 lower-case letters, digits, ".", "_", "-" or "/", beginning and ending with a letter or digit',
    meaning: 'The name in requests; no two models may share one.',
    accepts: isId,
  },
  { name: 'name', models: 'all', absent: 'the id', expected: 'a text', meaning: 'The name people see.', accepts: isText },
  {
    name: 'kind',
    models: 'all',
    absent: null,
    expected: '"text" or "image"',
    meaning: 'What it makes.',
    accepts: isOneOf(['text', 'image']),
  },
  { name: 'license', models: 'all', absent: 'unknown', expected: 'a text', meaning: 'Its licence, shown beside it.', accepts: isText },
  {
    name: 'description',
    models: 'all',
    absent: 'none',
    expected: 'a text',
    meaning: 'What it is, in a sentence or two, for the people who choose it in the console.',
    accepts: isText,
  },
  {
    name: 'price.prompt',
    models: 'text',
    absent: '0',
    expected: 'a number from 0 to 100000',
    meaning: 'What a million tokens of prompt cost, in whichever currency you count, to six decimals; counts in budgets of money.',
    accepts: isNumber(0, 100_000),
  },
  {
    name: 'price.completion',
    models: 'text',
    absent: '0',
    expected: 'a number from 0 to 100000',
    meaning: 'What a million tokens of answer cost.',
    accepts: isNumber(0, 100_000),
  },
  {
    name: 'price.image',
    models: 'image',
    absent: '0',
    expected: 'a number from 0 to 100000',
    meaning: 'What each picture costs.',
    accepts: isNumber(0, 100_000),
  },
  {
    name: 'files',
    models: 'all',
    absent: 'only the files the format needs are looked for',
    expected: 'an object of paths inside the folder, each with "bytes" (a whole number) and "sha256" (64 lower-case hexadecimal digits)',
    meaning: 'Every file: presence and size are checked at start, the checksums by `sepia model pull` and on request.',
    accepts: isFileRecord,
  },
  {
    name: 'format',
    models: 'text',
    absent: null,
    expected: '"gguf", "openai" or "anthropic"',
    meaning: "A file of weights for llama.cpp, or the address of a server that speaks the OpenAI interface or Anthropic's Messages.",
    accepts: isOneOf(['gguf', ...textServerFormats]),
  },
  {
    name: 'file',
    models: 'gguf',
    absent: null,
    expected: 'a path inside the folder, with "/"',
    meaning: 'The GGUF file.',
    accepts: isInnerPath,
  },
  {
    name: 'contextLength',
    models: 'text',
    absent: "the file's own, bounded by memory",
    expected: 'a whole number from 64 to 1048576',
    meaning: 'Tokens of prompt and answer together.',
    accepts: isWhole(64, 1_048_576),
  },
  {
    name: 'embeddings',
    models: 'text',
    absent: 'false',
    expected: 'true or false',
    meaning: 'Whether /v1/embeddings may use it.',
    accepts: (value) => typeof value === 'boolean',
  },
  {
    name: 'speculative',
    models: 'gguf',
    absent: 'nothing is guessed',
    expected: '"prompt-lookup", or the path of a GGUF file (".gguf"), relative to the folder or absolute',
    meaning:
      'What guesses the next tokens, so that one evaluation makes several: the text so far, or a smaller model with the same vocabulary.',
    accepts: (value) => value === 'prompt-lookup' || (isText(value) && value.endsWith('.gguf')),
  },
  {
    name: 'url',
    models: 'upstream',
    absent: null,
    expected: 'an address that begins with http:// or https://, without "?" or "#"',
    meaning:
      "The server's base address, such as `http://gpu-1:8000/v1` (`http://gpu-1:7860` for image servers other than `openai-images`).",
    accepts: isWebAddress,
  },
  { name: 'model', models: 'upstream', absent: 'the id', expected: 'a text', meaning: "The model's name on that server.", accepts: isText },
  {
    name: 'keyFile',
    models: 'upstream',
    absent: 'no key',
    expected: 'a path, relative to the folder or absolute',
    meaning: 'File that holds the access key for that server, and nothing else; read again when the server refuses the key.',
    accepts: isText,
  },
  {
    name: 'slots',
    models: 'upstream',
    absent: '64; 1 for pictures',
    expected: 'a whole number from 1 to 10000',
    meaning: 'Requests that server works on at once; more wait here.',
    accepts: isWhole(1, 10_000),
  },
  {
    name: 'replicas',
    models: 'text-upstream',
    absent: 'there is one server',
    expected: 'a list of up to 64 addresses, or of objects with "url" and "weight" (a whole number from 1 to 100)',
    meaning: 'Further servers that run the same model under the same name and key; each gets `slots` requests at once.',
    accepts: isReplicas,
  },
  {
    name: 'vision',
    models: 'text-upstream',
    absent: 'false',
    expected: 'true or false',
    meaning: 'Whether it looks at pictures in messages; they are passed on as they came.',
    accepts: (value) => typeof value === 'boolean',
  },
  {
    name: 'ranks',
    models: 'text-upstream',
    absent: 'false',
    expected: 'true or false',
    meaning: 'Whether it is a reranker: /v1/rerank may use it, and it makes no text.',
    accepts: (value) => typeof value === 'boolean',
  },
  {
    name: 'weight',
    models: 'text-upstream',
    absent: '1',
    expected: 'a whole number from 1 to 100',
    meaning: "The first server's share of the requests, beside those of the replicas (1 unless they say otherwise).",
    accepts: isWhole(1, 100),
  },
  {
    name: 'timeouts.connect',
    models: 'upstream',
    absent: '5',
    expected: 'a number of seconds, from 0.1 to 86400',
    meaning: 'Seconds that a server may take to accept a connection, TLS included.',
    accepts: isNumber(0.1, 86_400),
  },
  {
    name: 'timeouts.first',
    models: 'text-upstream',
    absent: '300',
    expected: 'a number of seconds, from 0.1 to 86400',
    meaning: 'Seconds from a request to the first byte of its answer, behind the headers.',
    accepts: isNumber(0.1, 86_400),
  },
  {
    name: 'timeouts.first',
    models: 'image-upstream',
    absent: '600 for `openai-images`; else as long as `run-limit` says',
    expected: 'a number of seconds, from 0.1 to 86400',
    meaning: 'Seconds that one picture may take, from its request until it is there.',
    accepts: isNumber(0.1, 86_400),
  },
  {
    name: 'timeouts.idle',
    models: 'upstream',
    absent: '60',
    expected: 'a number of seconds, from 0.1 to 86400',
    meaning: 'Seconds between two pieces of an answer; of servers that draw, also until answers begin that are due at once.',
    accepts: isNumber(0.1, 86_400),
  },
  {
    name: 'format',
    models: 'image',
    absent: null,
    expected: `"onnx-sdxl", "safetensors", or one of ${imageServerFormats.map((name) => `"${name}"`).join(', ')}`,
    meaning:
      "The layout of the weights: SDXL's official ONNX folder; a checkpoint of any family, a single file or a folder as diffusers writes it; or the interface of a server that draws.",
    accepts: isOneOf(['onnx-sdxl', 'safetensors', ...imageServerFormats]),
  },
  {
    name: 'native.width',
    models: 'onnx-sdxl',
    absent: null,
    expected: 'a multiple of 8 from 64 to 4096',
    meaning: 'Width it was trained for, in pixels; the default.',
    accepts: isPixels,
  },
  {
    name: 'native.height',
    models: 'onnx-sdxl',
    absent: null,
    expected: 'a multiple of 8 from 64 to 4096',
    meaning: 'Height it was trained for, in pixels; the default.',
    accepts: isPixels,
  },
  {
    name: 'file',
    models: 'safetensors',
    absent: "the folder itself is the checkpoint, in diffusers' layout",
    expected: 'a path inside the folder, with "/"',
    meaning: 'The checkpoint in one `.safetensors` file.',
    accepts: isInnerPath,
  },
  {
    name: 'native.width',
    models: 'safetensors',
    absent: "its family's: 1024, 768 or 512",
    expected: 'a multiple of 8 from 64 to 4096',
    meaning: 'Width it was trained for, in pixels; the default.',
    accepts: isPixels,
  },
  {
    name: 'native.height',
    models: 'safetensors',
    absent: "its family's: 1024, 768 or 512",
    expected: 'a multiple of 8 from 64 to 4096',
    meaning: 'Height it was trained for, in pixels; the default.',
    accepts: isPixels,
  },
  {
    name: 'prediction',
    models: 'safetensors',
    absent: 'what the file or its name says, else "epsilon"',
    expected: '"epsilon" or "v_prediction"',
    meaning: 'What its UNet was trained to predict: noise or velocity.',
    accepts: isOneOf(['epsilon', 'v_prediction']),
  },
  {
    name: 'native.width',
    models: 'image-upstream',
    absent: '1024',
    expected: 'a multiple of 8 from 64 to 4096',
    meaning: 'Width it was trained for, in pixels; the default.',
    accepts: isPixels,
  },
  {
    name: 'native.height',
    models: 'image-upstream',
    absent: '1024',
    expected: 'a multiple of 8 from 64 to 4096',
    meaning: 'Height it was trained for, in pixels; the default.',
    accepts: isPixels,
  },
  {
    name: 'workflow',
    models: 'comfyui',
    absent: '"workflow.json"',
    expected: 'a path inside the folder, with "/"',
    meaning: 'The workflow in the format that ComfyUI exports for its API, with placeholders such as `{{prompt}}`.',
    accepts: isInnerPath,
  },
  {
    name: 'draws',
    models: 'image',
    absent: '"requested"',
    expected: '"native" or "requested"',
    meaning: 'Draws at the size asked for, or always at its native size and is then resized; servers that draw do the first.',
    idle: 'has no effect on how a server draws; remove it, and say in `sizes` what may be asked for.',
    accepts: isOneOf(['native', 'requested']),
  },
  {
    name: 'sizes',
    models: 'image',
    absent: "SDXL's nine for 1024 × 1024; 64 to 2048 when it draws native; else the native size alone",
    expected: '{"min", "max"} or a list of {"width", "height"}, all multiples of 8 from 64 to 4096',
    meaning: 'Sizes a request may ask for: any multiple of 8 between two bounds, or a closed list.',
    accepts: isSizes,
  },
  {
    name: 'defaults.steps',
    models: 'image',
    absent: '30',
    expected: 'a whole number from 1 to 200',
    meaning: 'Denoising steps where a request names none.',
    accepts: isWhole(1, 200),
  },
  {
    name: 'defaults.cfg_scale',
    models: 'image',
    absent: '12',
    expected: 'a number over 0 and up to 50',
    meaning: 'Guidance scale where a request names none; 1 = no guidance.',
    accepts: isNumber(Number.MIN_VALUE, 50),
  },
  {
    name: 'defaults.sampler',
    models: 'image',
    absent: '"DDIM"',
    expected: `one of ${samplers.join(', ')}`,
    meaning: 'Sampler where a request names none.',
    accepts: isOneOf(samplers),
  },
  {
    name: 'timestepSpacing',
    models: 'image',
    absent: "the scheduler's own",
    expected: '"leading", "trailing" or "linspace"',
    meaning:
      'How denoising steps are spread over the training timesteps; few-step models (Turbo, Lightning) want "trailing"; not for servers that draw.',
    idle: 'has no effect on a server that draws; remove it, and set it there.',
    accepts: isOneOf(['leading', 'trailing', 'linspace']),
  },
  {
    name: 'refiner',
    models: 'image',
    absent: 'none',
    expected: 'a path, relative to the folder or absolute',
    meaning: 'A refiner: a folder, or for a checkpoint also a `.safetensors` file; not for servers that draw.',
    idle: 'has no effect on a server that draws; remove it, and use the refiner there.',
    accepts: isText,
  },
]
