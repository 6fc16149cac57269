import { Environment, Interpreter } from '@huggingface/jinja'

interface RuntimeValue {
  readonly type: string
  readonly value: unknown
  readonly builtins: Map<string, RuntimeValue>
}

interface Statement {
  readonly type: string
}

interface ForStatement extends Statement {
  readonly iterable: Statement & { readonly lhs?: Statement }
}

interface MemberStatement extends Statement {
  readonly object: Statement
  readonly property: Statement & { readonly value?: unknown }
}

interface CallStatement extends Statement {
  readonly callee: Statement & Partial<MemberStatement> & { readonly computed?: boolean }
}

interface ObjectStatement extends Statement {
  readonly value: ReadonlyMap<Statement, Statement>
}

interface BinaryStatement extends Statement {
  readonly operator: { readonly value: string }
}

interface FilterStatement extends Statement {
  readonly value?: unknown
  readonly callee?: { readonly value?: unknown }
}

/** The used part of the package's interpreter, whose declarations TypeScript cannot resolve under Node's rules. */
const PackageInterpreter: new (
  environment: unknown,
) => {
  run(program: unknown): { readonly value: string }
  evaluate(statement: Statement | undefined, environment: unknown): RuntimeValue
  evaluateFor(statement: ForStatement, environment: unknown): RuntimeValue
  evaluateMemberExpression(statement: MemberStatement, environment: unknown): RuntimeValue
  evaluateCallExpression(statement: CallStatement, environment: unknown): RuntimeValue
  evaluateBinaryExpression(statement: BinaryStatement, environment: unknown): RuntimeValue
  applyFilter(operand: RuntimeValue, filter: FilterStatement, environment: unknown): RuntimeValue
} = Interpreter

/** A value as templates see it; the package exports none of its constructors. */
function toRuntime(value: unknown): RuntimeValue {
  return new Environment().set('value', value)
}

const ListValue: new (values: readonly RuntimeValue[]) => RuntimeValue = Object(toRuntime([])).constructor
const FunctionValue: new (run: () => RuntimeValue) => RuntimeValue = Object(toRuntime(() => null)).constructor
const MapValue: new (members: ReadonlyMap<unknown, RuntimeValue>) => RuntimeValue = Object(toRuntime({})).constructor

/** Methods of objects, which a member of their name does not hide. */
const objectMethods = new Set<unknown>(['items', 'keys', 'values', 'get'])
const absent = new Set(['UndefinedValue', 'NullValue'])
const listFilters = new Set<unknown>(['list', 'selectattr', 'rejectattr', 'select', 'reject', 'map', 'first', 'last', 'length', 'join'])
const textFilters = new Set<unknown>(['trim', 'lower', 'upper', 'title', 'capitalize', 'replace', 'indent', 'string'])

/**
 * The package's interpreter with what Jinja, or llama.cpp's reading of it, takes beyond that: loops and filters over nothing (Hermes, Command R+,
 * Functionary), and a look for it (Seed-OSS), members that are no names (Hermes) or named as methods (GLM's arguments), numbers as keys (Seed-OSS), `str.format` (Hunyuan), and objects (Apriel) and Python's words (Qwen 3 Coder) as strings.
 */
export class TemplateInterpreter extends PackageInterpreter {
  /** @param statement Absent where a slice leaves an end open. */
  override evaluate(statement: Statement | undefined, environment: unknown): RuntimeValue {
    if (isIterable(statement)) return listOf(this.evaluate(statement.iterable, environment))
    if (isSettled(statement)) return statement.settled
    return isNumbered(statement) ? this.#evaluateNumbered(statement, environment) : super.evaluate(statement, environment)
  }

  override evaluateFor(statement: ForStatement, environment: unknown): RuntimeValue {
    const { iterable } = statement
    const wrapped = iterable.type === 'SelectExpression' && iterable.lhs ? { ...iterable, lhs: wrap(iterable.lhs) } : wrap(iterable)
    return super.evaluateFor({ ...statement, iterable: wrapped }, environment)
  }

  override evaluateMemberExpression(statement: MemberStatement, environment: unknown): RuntimeValue {
    try {
      const member = super.evaluateMemberExpression(statement, environment)
      if (member.type !== 'UndefinedValue' || statement.property.value !== 'format') return member
      const { value } = this.evaluate(statement.object, environment)
      return typeof value === 'string' ? toRuntime((...parts: readonly unknown[]) => formatText(value, parts)) : member
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith('Cannot access property with non-string'))) throw error
      const { value: members } = this.evaluate(statement.object, environment)
      const { value: key } = this.evaluate(statement.property, environment)
      return (members instanceof Map ? members.get(key) : undefined) ?? toRuntime(undefined)
    }
  }

  override evaluateCallExpression(statement: CallStatement, environment: unknown): RuntimeValue {
    const { object, property, computed = false } = statement.callee
    const hidden = object === undefined || computed || !objectMethods.has(property?.value) ? null : this.evaluate(object, environment)
    const settled = hidden?.type === 'ObjectValue' ? hidden.builtins.get(String(property?.value)) : undefined
    if (settled === undefined) return super.evaluateCallExpression(statement, environment)
    return super.evaluateCallExpression(Object.assign({}, statement, { callee: { type: 'Settled', settled } }), environment)
  }

  override evaluateBinaryExpression(statement: BinaryStatement, environment: unknown): RuntimeValue {
    try {
      return super.evaluateBinaryExpression(statement, environment)
    } catch (error) {
      const { value: operator } = statement.operator
      const looked = (operator === 'in' || operator === 'not in') && error instanceof Error
      if (!looked || error.message !== `Cannot perform operation ${operator} on undefined values`) throw error
      return toRuntime(operator === 'not in')
    }
  }

  override applyFilter(operand: RuntimeValue, filter: FilterStatement, environment: unknown): RuntimeValue {
    const name = filter.value ?? filter.callee?.value
    if (name === 'string' && operand.type === 'ObjectValue') return toRuntime(String(operand))
    if (name === 'items' && absent.has(operand.type)) return listOf(operand)
    const word = textFilters.has(name) ? wordOf(operand) : null
    const text = word === null ? operand : toRuntime(word)
    return super.applyFilter(listFilters.has(name) ? listOf(operand) : text, filter, environment)
  }

  #evaluateNumbered(statement: ObjectStatement, environment: unknown): RuntimeValue {
    const members = new Map<unknown, RuntimeValue>()
    for (const [key, value] of statement.value) members.set(this.evaluate(key, environment).value, this.evaluate(value, environment))
    const object = new MapValue(members)
    const sorted = [...members].sort(([a], [b]) => Number(a) - Number(b)).map(([key, value]) => new ListValue([toRuntime(key), value]))
    object.builtins.set('dictsort', new FunctionValue(() => new ListValue(sorted)))
    return object
  }
}

/** Marks what a loop runs over, for `evaluate`. */
function wrap(iterable: Statement): Statement & { readonly iterable: Statement } {
  return { type: 'Iterable', iterable }
}

function isIterable(statement: Statement | undefined): statement is ReturnType<typeof wrap> {
  return statement?.type === 'Iterable'
}

function isSettled(statement: Statement | undefined): statement is Statement & { readonly settled: RuntimeValue } {
  return statement?.type === 'Settled'
}

function isNumbered(statement: Statement | undefined): statement is ObjectStatement {
  if (statement?.type !== 'ObjectLiteral') return false
  const { value } = statement as ObjectStatement
  return value.size > 0 && value.keys().every((key) => key.type === 'IntegerLiteral')
}

function listOf(value: RuntimeValue): RuntimeValue {
  return absent.has(value.type) ? new ListValue([]) : value
}

/** Python's (and Jinja's) text of special values; null = others. */
function wordOf({ type, value }: RuntimeValue): string | null {
  if (type === 'UndefinedValue') return ''
  if (type === 'NullValue') return 'None'
  return type === 'BooleanValue' ? (value === true ? 'True' : 'False') : null
}

/** Python's `str.format` as far as templates use it: parts in turn, or by number. */
function formatText(text: string, parts: readonly unknown[]): string {
  let next = 0
  return text.replace(/\{(\d*)\}/g, (_, number: string) => String(parts[number === '' ? next++ : Number(number)] ?? ''))
}
