import { Environment, type Template } from '@huggingface/jinja'
import { templateGlobals } from './template-globals.ts'
import { TemplateInterpreter } from './template-interpreter.ts'

/** A template ran for too long. */
export class RenderTimeout extends Error {
  override readonly name = 'RenderTimeout'
}

/**
 * Renders a template and stops it, loops and all, after a time.
 *
 * @throws {RenderTimeout} when the time is up; whatever the template throws.
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
