import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Abortable } from '../../../core/waiting.ts'
import { checkPlace } from '../../check-place.ts'
import type { Command, CommandContext } from '../../command.ts'
import { UsageError } from '../../failures.ts'
import { openProgressBar } from '../../progress-bar.ts'
import { chooseModel } from '../../service/installed-models.ts'
import { openService, serviceFlags, serviceSettings } from '../../service/open-service.ts'
import type { ServiceClient } from '../../service/service-client.ts'
import { followRequest } from '../../service/shown-request.ts'

/** Output of an image request, reduced to the fields in use. */
interface Drawn {
  readonly images: readonly { readonly image_b64: string | null; readonly seed: number }[]
  readonly width: number
  readonly height: number
}

export const draw: Command = {
  words: ['draw'],
  summary: 'Draw an image into a PNG file, and show it if the terminal supports that.',
  argument: { name: '<words>', help: 'What to draw, with or without quotes.', words: true },
  flags: [
    { name: 'output', form: '<file>', help: 'The file to write, replaced if it exists. Default: sepia-<seed>.png, which must not exist.' },
    { name: 'out', form: '<file>', help: 'The same as --output.' },
    { name: 'model', form: '<name>', help: 'An image model of the service. Default: one that is loaded, or the first.' },
    { name: 'negative', form: '<words>', help: 'What the image should not show.' },
    { name: 'size', form: '<width>x<height>', help: 'Size in pixels. Default: the size of the model.' },
    { name: 'steps', form: '<number>', help: 'Denoising steps.' },
    { name: 'seed', form: '<number>', help: 'The same seed gives the same image.' },
    ...serviceFlags,
  ],
  settings: serviceSettings,
  run: async (context) => {
    const { argument, flags, environment, terminal, signal, json } = context
    const body = { prompt: argument, image_encoding: 'png', ...readFields(flags) }
    const named = flags.get('output') ?? flags.get('out')
    const planned = resolve(named ?? `sepia-${flags.get('seed') ?? ''}.png`)
    await checkPlace(planned, { where: flags.has('out') ? '--out' : '--output', replaces: named !== undefined || !flags.has('seed') })
    const service = await openService(context)
    const model = flags.get('model') ?? (await chooseModel(service, 'images', { signal }))
    const { images, width, height } = await drawDeferred(context, service, { ...body, model })
    const [image] = images
    if (image === undefined || image.image_b64 === null) throw new Error('The image was removed for safety; draw another one.')
    const file = resolve(named ?? `sepia-${image.seed}.png`)
    await save(file, Buffer.from(image.image_b64, 'base64'), { replace: named !== undefined })
    if (terminal.printsToPerson && !json) terminal.out(showPicture(detectPictureProtocol(environment), image.image_b64))
    return { text: `Drew ${file} (${width}×${height}, seed ${image.seed}).`, json: { file, model, width, height, seed: image.seed } }
  },
}

/** Draws with a progress bar; stopping it cancels the request. */
async function drawDeferred(
  { terminal, signal }: CommandContext,
  service: ServiceClient,
  body: Readonly<Record<string, unknown>>,
): Promise<Drawn> {
  const id = await submit(service, body, { signal })
  using bar = openProgressBar({ terminal, now: Date.now }, 'Drawing')
  try {
    const { outcome, error } = await followRequest(service, id, { signal, onProgress: bar.report })
    if (outcome === 'cancelled') throw new Error(`The request ${id} was cancelled.`)
    if (error !== undefined) throw new Error(error.message)
  } catch (error) {
    if (signal.aborted) await service.fetchJson(`/v1/requests/${id}`, { method: 'DELETE', signal: AbortSignal.timeout(5000) })
    throw error
  }
  return service.fetchJson<Drawn>(`/v1/responses/${id}`, { signal })
}

async function submit(service: ServiceClient, body: Readonly<Record<string, unknown>>, { signal }: Abortable): Promise<string> {
  const headers = { 'x-service-async': '1' }
  return (await service.fetchJson<{ readonly response_id: string }>('/generate/image', { body, headers, signal })).response_id
}

async function save(file: string, bytes: Buffer, { replace }: { readonly replace: boolean }): Promise<void> {
  await writeFile(file, bytes, { flag: replace ? 'w' : 'wx' }).catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST' && !replace)
      throw new Error(`${file} already exists; choose another with --output.`)
    throw error
  })
}

function readFields(flags: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const [negative, size] = [flags.get('negative'), flags.get('size')]
  const sides = size === undefined ? null : /^(\d{1,5})x(\d{1,5})$/.exec(size)
  if (size !== undefined && sides === null)
    throw new UsageError([{ where: '--size', message: `expected <width>x<height> such as 1024x1024, got ${JSON.stringify(size)}.` }])
  const numbers = (['steps', 'seed'] as const).flatMap((name) => {
    const text = flags.get(name)
    if (text === undefined) return []
    if (!/^\d{1,10}$/.test(text))
      throw new UsageError([{ where: `--${name}`, message: `expected a whole number, got ${JSON.stringify(text)}.` }])
    return [[name, Number(text)] as const]
  })
  return {
    ...Object.fromEntries(numbers),
    ...(negative !== undefined && { negative_prompt: negative }),
    ...(sides !== null && { width: Number(sides[1]), height: Number(sides[2]) }),
  }
}

/** Image protocol of a terminal. */
export type PictureProtocol = 'kitty' | 'iterm2' | 'none'

/** Detects the image protocol from the environment; unknown terminals get no image, which they might print as text. */
export function detectPictureProtocol(environment: Readonly<Record<string, string | undefined>>): PictureProtocol {
  const { TERM = '', TERM_PROGRAM: program = '', LC_TERMINAL: terminal, KITTY_WINDOW_ID: kitty, TMUX: tmux } = environment
  // A terminal multiplexer would drop or print it.
  if (tmux || /^(screen|tmux)/.test(TERM)) return 'none'
  if (kitty || TERM === 'xterm-kitty' || TERM === 'xterm-ghostty' || program === 'ghostty') return 'kitty'
  return ['iTerm.app', 'WezTerm'].includes(program) || terminal === 'iTerm2' ? 'iterm2' : 'none'
}

/** Maximum base64 characters per chunk of kitty's protocol. */
const pieceLength = 4096

/** Escape sequence that shows a PNG; empty if unsupported. */
export function showPicture(protocol: PictureProtocol, base64: string): string {
  if (protocol === 'none') return ''
  if (protocol === 'iterm2') return `\u001b]1337;File=inline=1;preserveAspectRatio=1:${base64}\u0007\n`
  const pieces = base64.match(new RegExp(`.{1,${pieceLength}}`, 'g')) ?? []
  return `${pieces
    .map((piece, index) => `\u001b_G${index === 0 ? 'a=T,f=100,' : ''}m=${index === pieces.length - 1 ? 0 : 1};${piece}\u001b\\`)
    .join('')}\n`
}
