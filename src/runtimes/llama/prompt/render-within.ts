import { Environment, Template } from '@huggingface/jinja'
import { TemplateInterpreter } from './template-interpreter.ts'

/** The most numbers that `range` makes: it fills a list without a look at the clock. */
const longestRange = 100_000

const formattedTime = new Template('{{ strftime_now(format) }}')

/** Today's date under the variable names of templates older than `strftime_now`, formatted as in llama.cpp. */
export function todayVariables(): { readonly date_string: string; readonly datetime: string } {
  return { date_string: formattedTime.render({ format: '%d %b %Y' }), datetime: formattedTime.render({ format: '%b %d %Y' }) }
}

/** Global names available to every chat template. */
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
 * Renders a template with a time limit that also stops loops.
 *
 * @throws {RenderTimeout} after the limit; the errors of the template.
 */
export function renderWithin(milliseconds: number, template: Template, variables: Record<string, unknown>): string {
  const environment = new Environment()
  for (const [name, value] of Object.entries({ ...templateGlobals, ...variables })) environment.set(name, value)
  return new TimedInterpreter(environment, milliseconds).run(template.parsed).value
}

/**
 * Looks at the clock before every statement and expression. The watchdog of `node:vm` stops loops as well, but
 * starting and ending its thread took 0.3 ms of the 7 in which a first token comes.
 */
class TimedInterpreter extends TemplateInterpreter {
  readonly #deadline: number

  constructor(environment: unknown, milliseconds: number) {
    super(environment)
    this.#deadline = performance.now() + milliseconds
  }

  override evaluate(...given: Parameters<TemplateInterpreter['evaluate']>): ReturnType<TemplateInterpreter['evaluate']> {
    if (performance.now() > this.#deadline) throw new RenderTimeout('The template ran out of time.')
    return super.evaluate(...given)
  }
}
