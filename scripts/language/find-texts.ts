import { parseSync } from 'vite'

/** A text that a page says by a catalogue. */
export interface FoundText {
  /** Its English with `{0}`, `{1}` … for what is put in; of a text that counts, the form `other`. */
  readonly english: string
  /** The forms of a text that counts; null for others. */
  readonly forms: Readonly<Record<string, string>> | null
  readonly line: number
}

/** What a source file of the console says to people. */
export interface FoundTexts {
  readonly texts: readonly FoundText[]
  /** What it says around the catalogue. */
  readonly bypasses: readonly { readonly text: string; readonly line: number }[]
}

interface Node {
  readonly type: string
  readonly start: number
  readonly [field: string]: unknown
}

/** Attributes of elements and components that hold no words for people; nor do others of `aria-` and those of `data-`. */
const technical = new Set(
  `class key id type name value href rel target role tone size icon width drawing accept autocomplete inputMode method lang dir
  fill stroke viewBox d transform src style scope language narrow spellcheck preserveAspectRatio vector-effect shape-rendering
  stroke-linecap stroke-linejoin text-anchor loading`.split(/\s+/),
)
const spokenAria = new Set(['aria-label', 'aria-description', 'aria-roledescription', 'aria-valuetext', 'aria-placeholder'])
/** Properties of objects that hold words for people, whatever they look like. */
const said = new Set(
  'title label fault text hint note intro message action placeholder description words sentence noun term alt'.split(' '),
)
/** Functions whose arguments are selectors, or what is looked for. */
const looksFor = new Set([
  'matches',
  'closest',
  'querySelector',
  'querySelectorAll',
  'matchMedia',
  'get',
  'startsWith',
  'endsWith',
  'includes',
])
const word = /\p{L}{2}/u
/** What reads like a sentence or the beginning of one. */
const prose = /^\p{Lu}\p{Ll}+\s*[.:;’…!?]*$|\p{L}[,.:;]? \p{L}{2}/u

/** A word beside something that is put in: `{0} images`. */
const besideValue = /\{\d+\} \p{L}{2}/u

/** Finds what a source file says, by its syntax tree. */
export function findTexts(path: string, source: string): FoundTexts {
  const texts: FoundText[] = []
  const bypasses: { text: string; line: number }[] = []
  const lineOf = (node: Node) => source.slice(0, node.start).split('\n').length
  const refuse = (node: Node, text: string) => bypasses.push({ text: text.trim().replaceAll(/\s+/g, ' '), line: lineOf(node) })
  const visit = (node: Node, isSaid: boolean): void => {
    switch (node.type) {
      case 'ImportDeclaration':
      case 'ExportNamedDeclaration':
        if (node.source) return
        break
      case 'JSXText':
        if (word.test(String(node.value))) refuse(node, String(node.value))
        return
      case 'Literal':
        if (typeof node.value === 'string' && (isSaid ? word : prose).test(node.value)) refuse(node, node.value)
        return
      case 'TemplateLiteral': {
        const text = textOf(node)
        const bare = text.replaceAll(/\s*\{\d+\}\s*/g, ' ').trim()
        if ((isSaid ? word : prose).test(bare) || besideValue.test(text)) refuse(node, text)
        break
      }
      case 'TaggedTemplateExpression':
        if (isTranslation(node.tag as Node)) {
          texts.push({ english: textOf(node.quasi as Node), forms: null, line: lineOf(node) })
          for (const value of (node.quasi as Node).expressions as Node[]) visit(value, false)
          return
        }
        break
      case 'CallExpression':
        if (isCount(node.callee as Node)) {
          const [count, forms] = node.arguments as Node[]
          if (count) visit(count, false)
          if (forms) texts.push(readForms(forms, lineOf(node)))
          return
        }
        if (looksFor.has(calledOf(node.callee as Node))) return
        isSaid = false
        break
      case 'JSXAttribute': {
        const name = nameOf(node.name as Node)
        if (node.value && !isTechnical(name)) visit(node.value as Node, !name.startsWith('on'))
        return
      }
      case 'JSXExpressionContainer':
        visit(node.expression as Node, isSaid)
        return
      case 'JSXElement':
        if (isCode(node)) return
        visit(node.openingElement as Node, false)
        for (const child of node.children as Node[]) visit(child, child.type === 'JSXExpressionContainer')
        return
      case 'JSXFragment':
        for (const child of node.children as Node[]) visit(child, child.type === 'JSXExpressionContainer')
        return
      case 'Property': {
        const name = nameOf(node.key as Node)
        visit(node.value as Node, said.has(name))
        return
      }
      case 'ConditionalExpression':
        visit(node.test as Node, false)
        visit(node.consequent as Node, isSaid)
        visit(node.alternate as Node, isSaid)
        return
      case 'LogicalExpression':
        visit(node.left as Node, isSaid && node.operator !== '&&')
        visit(node.right as Node, isSaid)
        return
      case 'BinaryExpression':
        // What is compared is no text for people.
        if (node.operator !== '+') return
        break
      case 'SwitchCase':
        for (const statement of node.consequent as Node[]) visit(statement, false)
        return
      case 'MemberExpression':
        visit(node.object as Node, false)
        return
      case 'ArrowFunctionExpression':
      case 'ParenthesizedExpression':
      case 'TSAsExpression':
        break
      default:
        if (node.type.startsWith('TS') && node.type !== 'TSSatisfiesExpression') return
        isSaid = false
    }
    for (const child of childrenOf(node)) visit(child, isSaid)
  }
  visit(parseSync(path, source).program as unknown as Node, false)
  return { texts, bypasses }
}

/** `<code>` and `<kbd>` hold what is typed. */
function isCode(element: Node): boolean {
  return /^(?:code|kbd)$/.test(nameOf((element.openingElement as Node).name as Node))
}

function isTechnical(attribute: string): boolean {
  if (attribute.startsWith('aria-')) return !spokenAria.has(attribute)
  return technical.has(attribute) || attribute.startsWith('data-')
}

function isTranslation(tag: Node): boolean {
  return (
    nameOf(tag) === 't' ||
    (tag.type === 'MemberExpression' && nameOf(tag.object as Node) === 't' && nameOf(tag.property as Node) === 'rich')
  )
}

function isCount(callee: Node): boolean {
  return callee.type === 'MemberExpression' && nameOf(callee.object as Node) === 't' && nameOf(callee.property as Node) === 'count'
}

function calledOf(callee: Node): string {
  return nameOf(callee.type === 'MemberExpression' ? (callee.property as Node) : callee)
}

function readForms(node: Node, line: number): FoundText {
  const entries = ((node.properties ?? []) as Node[]).map((property) => {
    const value = property.value as Node
    return [nameOf(property.key as Node), value.type === 'TemplateLiteral' ? textOf(value) : String(value.value)] as const
  })
  const forms = Object.fromEntries(entries)
  return { english: forms.other ?? '', forms, line }
}

function textOf(template: Node): string {
  const quasis = template.quasis as readonly { readonly value: { readonly cooked: string } }[]
  return quasis
    .map(({ value }) => value.cooked)
    .reduce((text, next, index) => `${text}{${index - 1}}${next}`)
    .replaceAll(/\s*\n\s*/g, ' ')
}

function nameOf(node: Node): string {
  return typeof node.name === 'string' ? node.name : typeof node.value === 'string' ? node.value : ''
}

function childrenOf(node: Node): readonly Node[] {
  return Object.values(node)
    .flat()
    .filter((value): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value)
}
