import type { ByteClass } from './byte-class.ts'

/** A grammar's expectation at one position. */
export type Expression = ExpressionBase &
  (
    | { readonly kind: 'empty' }
    | { readonly kind: 'bytes'; readonly bytes: ByteClass }
    | { readonly kind: 'sequence'; readonly first: Expression; readonly rest: Expression }
    | { readonly kind: 'choice'; readonly options: readonly Expression[] }
    | { readonly kind: 'reference'; readonly rule: Rule }
    /** `most` may be infinite. */
    | { readonly kind: 'repeat'; readonly item: Expression; readonly least: number; readonly most: number }
  )

interface ExpressionBase {
  readonly id: number
  /** Whether it may be nothing at all; settled once the whole grammar is known. */
  nullable: boolean
}

export interface Rule {
  readonly name: string
  /** null until it is defined. */
  body: Expression | null
  readonly references: Expression[]
  /** Rules that may begin with others come before them. */
  rank: number
}

/** Characters after which options that begin alike are left as they are. */
const deepestFork = 256
/** More than a grammar can have by its length. */
const maxExpressions = 2 ** 26

/** Makes the expressions of one grammar; equal ones are made once, so that equal parts of a grammar are one place. */
export class Expressions {
  readonly rules = new Map<string, Rule>()
  /** In the order they were made: parts before the whole. */
  readonly all: Expression[] = []
  readonly #known = new Map<string, Expression>()
  /** By both parts' ids: most of a large grammar's expressions are pairs. */
  readonly #pairs = new Map<number, Expression>()

  /** The rule of a name, defined or not. */
  rule(name: string): Rule {
    const rule = this.rules.get(name) ?? { name, body: null, references: [], rank: 0 }
    this.rules.set(name, rule)
    return rule
  }

  empty(): Expression {
    return this.#known.get('') ?? this.#keep('', { kind: 'empty', id: this.all.length, nullable: true })
  }

  bytes(bytes: ByteClass): Expression {
    const key = `b${bytes.id}`
    return this.#known.get(key) ?? this.#keep(key, { kind: 'bytes', id: this.all.length, nullable: false, bytes })
  }

  reference(name: string): Expression {
    const key = `r${name}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const rule = this.rule(name)
    const made = this.#keep(key, { kind: 'reference', id: this.all.length, nullable: false, rule })
    rule.references.push(made)
    return made
  }

  sequence(parts: readonly Expression[]): Expression {
    return parts.reduceRight((rest, first) => this.#pair(first, rest), this.empty())
  }

  /** Options that begin alike become one that forks later. */
  choice(options: readonly Expression[], forks = deepestFork): Expression {
    const different = forks === 0 ? [...new Set(options)] : this.#shareBeginnings(options, forks)
    const [only] = different
    if (only !== undefined && different.length === 1) return only
    const key = `c${different.map(({ id }) => id).join()}`
    const nullable = different.some((each) => each.nullable)
    return this.#known.get(key) ?? this.#keep(key, { kind: 'choice', id: this.all.length, nullable, options: different })
  }

  repeat(item: Expression, least: number, most: number): Expression {
    if (most === 0 || item.kind === 'empty') return this.empty()
    if (least === 1 && most === 1) return item
    const key = `x${item.id},${least},${most}`
    const nullable = least === 0 || item.nullable
    return this.#known.get(key) ?? this.#keep(key, { kind: 'repeat', id: this.all.length, nullable, item, least, most })
  }

  #shareBeginnings(options: readonly Expression[], forks: number): readonly Expression[] {
    const byFirst = Map.groupBy(new Set(options), (option) => (option.kind === 'sequence' ? option.first : option))
    return [...byFirst].map(([first, alike]) => {
      const [only] = alike
      if (only !== undefined && alike.length === 1) return only
      const rests = alike.map((option) => (option.kind === 'sequence' ? option.rest : this.empty()))
      return this.#pair(first, this.choice(rests, forks - 1))
    })
  }

  #pair(first: Expression, rest: Expression): Expression {
    if (first.kind === 'empty') return rest
    if (rest.kind === 'empty') return first
    const key = first.id * maxExpressions + rest.id
    const known = this.#pairs.get(key)
    if (known !== undefined) return known
    const made: Expression = { kind: 'sequence', id: this.all.length, nullable: first.nullable && rest.nullable, first, rest }
    this.all.push(made)
    this.#pairs.set(key, made)
    return made
  }

  #keep(key: string, made: Expression): Expression {
    this.all.push(made)
    this.#known.set(key, made)
    return made
  }
}
