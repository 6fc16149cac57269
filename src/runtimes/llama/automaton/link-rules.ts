import { shortName } from '../../../core/requests/request-record.ts'
import type { Expression, Expressions, Rule } from './expression.ts'
import { GrammarFault } from './grammar-fault.ts'

/**
 * Settles which expressions may be nothing, and ranks the rules so that each comes before those it may begin with.
 *
 * @throws {GrammarFault} when a rule is missing, or one may begin with itself.
 */
export function linkRules(expressions: Expressions): void {
  for (const { name, body } of expressions.rules.values())
    if (body === null) throw new GrammarFault(`the rule "${shortName(name)}" is not defined`)
  settleNullable(expressions)
  rankRules(expressions)
}

function settleNullable({ all, rules }: Expressions): void {
  const wholes = new Map<Expression, Expression[]>()
  for (const whole of all)
    for (const part of partsOf(whole)) {
      const known = wholes.get(part)
      if (known === undefined) wholes.set(part, [whole])
      else known.push(whole)
    }
  const bodies = new Map<Expression, Rule[]>()
  for (const rule of rules.values()) if (rule.body !== null) bodies.set(rule.body, [...(bodies.get(rule.body) ?? []), rule])
  const settled = all.filter((expression) => expression.nullable)
  for (let next = settled.pop(); next !== undefined; next = settled.pop()) {
    const affected = [...(wholes.get(next) ?? []), ...(bodies.get(next) ?? []).flatMap((rule) => rule.references)]
    for (const whole of affected) {
      if (whole.nullable || (whole.kind === 'sequence' && !(whole.first.nullable && whole.rest.nullable))) continue
      whole.nullable = true
      settled.push(whole)
    }
  }
}

function partsOf(expression: Expression): readonly Expression[] {
  if (expression.kind === 'sequence') return [expression.first, expression.rest]
  if (expression.kind === 'choice') return expression.options
  return expression.kind === 'repeat' ? [expression.item] : []
}

interface Visit {
  readonly rule: Rule
  readonly firsts: Rule[]
}

function rankRules({ rules }: Expressions): void {
  let rank = rules.size
  const open = new Set<Rule>()
  const ranked = new Set<Rule>()
  for (const start of rules.values()) {
    if (ranked.has(start)) continue
    const path: Visit[] = [{ rule: start, firsts: firstRules(start) }]
    open.add(start)
    for (let visit = path.at(-1); visit !== undefined; visit = path.at(-1)) {
      const next = visit.firsts.pop()
      if (next === undefined) {
        visit.rule.rank = --rank
        ranked.add(visit.rule)
        open.delete(visit.rule)
        path.pop()
      } else if (open.has(next)) throw new GrammarFault(`the rule "${shortName(next.name)}" may begin with itself`)
      else if (!ranked.has(next)) {
        open.add(next)
        path.push({ rule: next, firsts: firstRules(next) })
      }
    }
  }
}

function firstRules({ body }: Rule): Rule[] {
  const firsts = new Set<Rule>()
  const seen = new Set<Expression>()
  const open = body === null ? [] : [body]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (next.kind === 'reference') firsts.add(next.rule)
    else if (next.kind === 'sequence') open.push(next.first, ...(next.first.nullable ? [next.rest] : []))
    else open.push(...partsOf(next))
  }
  return [...firsts]
}
