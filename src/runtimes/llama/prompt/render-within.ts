import { Environment, Template } from '@huggingface/jinja'
import { TemplateInterpreter } from './template-interpreter.ts'

/** The most numbers that `range` makes: it fills a list without a look at the clock. */
const longestRange = 100_000

const formattedTime = new Template('{{ strftime_now(format) }}')

/** Today's date under the variable names of templates older than `strftime_now`, formatted as in llama.cpp. */
export function todayVariables(): { readonly date_string: string; readonly datetime: string } {
  return { date_string: formattedTime.render({ format: '%d %b %Y' }), datetime: formattedTime.render({ format: '%b %d %Y' }) }
}

const templateGlobals = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  range: makeRange,
  strftime_now: (format: string) => formattedTime.render({ format }),
  raise_exception: (message: string) => {
    throw new Error(message)
  },
}

function makeRange(first: number, second?: number, step = 1): number[] {
  const [start, stop] = second === undefined ? [0, first] : [first, second]
  const length = Math.max(0, Math.ceil((stop - start) / step))
  if (!(length <= longestRange)) throw new RangeError(`range() makes at most ${longestRange} numbers`)
  return Array.from({ length }, (_, index) => start + index * step)
}

/** A template ran for too long. */
export class RenderTimeout extends Error {
  override readonly name = 'RenderTimeout'
}

/**
 * Renders a template with a limit of processor time that also stops loops.
 *
 * @throws {RenderTimeout} after the limit; the errors of the template.
 */
export function renderWithin(milliseconds: number, template: Template, variables: Record<string, unknown>): string {
  const environment = new Environment()
  for (const [name, value] of Object.entries({ ...templateGlobals, ...variables })) environment.set(name, value)
  return new TimedInterpreter(environment, milliseconds).run(template.parsed).value
}

/**
 * Looks at the clock before every statement and expression, and at the thread's processor time only when the clock says that the limit
 * may be over: on a busy machine a template gets little of a second. The watchdog of `node:vm` stops loops as well, but
 * starting and ending its thread took 0.3 ms of the 7 in which a first token comes.
 */
class TimedInterpreter extends TemplateInterpreter {
  readonly #startedAt = process.threadCpuUsage()
  readonly #limitMs: number
  #deadline: number

  constructor(environment: unknown, milliseconds: number) {
    super(environment)
    this.#limitMs = milliseconds
    this.#deadline = performance.now() + milliseconds
  }

  override evaluate(...given: Parameters<TemplateInterpreter['evaluate']>): ReturnType<TemplateInterpreter['evaluate']> {
    if (performance.now() > this.#deadline) this.#extend()
    return super.evaluate(...given)
  }

  #extend(): void {
    const { user, system } = process.threadCpuUsage(this.#startedAt)
    const leftMs = this.#limitMs - (user + system) / 1000
    if (leftMs <= 0) throw new RenderTimeout('The template ran out of time.')
    this.#deadline = performance.now() + leftMs
  }
}
