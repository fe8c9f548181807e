import { Fragment, type ReactNode } from 'react'
import { systemClock } from '#shared/clock.ts'
import { useShell } from './shell.ts'

/** Only built servers keep: in development a changed component must show at once. */
const KEEPS = import.meta.env.SSR && import.meta.env.PROD

/** Begins every mark in a rendered page; nobody outside this process can know it. */
const MARK = KEEPS ? `kept-${crypto.randomUUID()}` : ''

/** Most parts kept at a time: every contest of a long list in each language, and the parts of the frame. */
const PARTS_MAX = 2_000

const DAY_MS = 86_400_000

interface Part {
  number: number
  text?: KeptText
}

/** What was rendered of a part, as text and as it is sent. */
export interface KeptText {
  readonly html: string
  readonly bytes: Uint8Array
}

class RenderedPart implements KeptText {
  readonly html: string
  #bytes: Uint8Array | undefined

  constructor(html: string) {
    if (/="[^"]*_R_/.test(html)) throw new Error(`a kept part makes ids by its place: ${html.slice(0, 200)}`)
    this.html = html
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= new TextEncoder().encode(this.html))
  }
}

interface KeptParts {
  byName: Map<string, Part>
  byNumber: Part[]
  /** Number of each object that parts show, and of its text: two that hold the same have the same. */
  objects: WeakMap<object, number>
  texts: Map<string, number>
}

const nothing = (): KeptParts => ({
  byName: new Map(),
  byNumber: [],
  objects: new WeakMap(),
  texts: new Map(),
})

let kept = nothing()

interface KeptProps {
  /** All that the part depends on besides the shop's settings, the language, the day and `of`. */
  name: string
  /** Data that the part shows; it is never changed. */
  of?: object
  children: () => ReactNode
}

/**
 * A part of a page that the server renders once for all pages in which it is the same, and puts into them as text. In a
 * browser it is its children. They must not call `useId`: what it gives depends on the place in the page.
 */
export const Kept = KEEPS ? KeptPart : ({ children }: KeptProps): ReactNode => children()

function KeptPart({ name, of, children }: KeptProps): ReactNode {
  const { language, settings } = useShell()
  const day = Math.floor(systemClock().getTime() / DAY_MS)
  const part = partOf(`${language} ${day} ${numberOf(settings)} ${name} ${of ? numberOf(of) : ''}`)
  if (part.text) return `${MARK}=${part.number};`
  return (
    <Fragment>
      {`${MARK}+${part.number};`}
      {children()}
      {`${MARK}-${part.number};`}
    </Fragment>
  )
}

function numberOf(data: object): number {
  let number = kept.objects.get(data)
  if (number === undefined) {
    const text = JSON.stringify(data)
    number = kept.texts.get(text) ?? kept.texts.size
    kept.texts.set(text, number)
    kept.objects.set(data, number)
  }
  return number
}

function partOf(name: string): Part {
  let part = kept.byName.get(name)
  if (!part) {
    part = { number: kept.byNumber.length }
    kept.byName.set(name, part)
    kept.byNumber.push(part)
  }
  return part
}

/** A rendered page: where `hole` stands in its text belong the parts, in their order. */
export interface PageOfParts {
  text: string
  hole: string
  parts: readonly KeptText[]
}

/**
 * Tells the kept parts of a page that has just been rendered from the rest, and keeps those that were rendered with it.
 * @throws Error when a part contains an id that a browser would make in another way
 */
export function partsOf(rendered: string): PageOfParts {
  if (!KEEPS) return { text: rendered, hole: '', parts: [] }
  const [first = '', ...marked] = rendered.split(MARK)
  const parts: KeptText[] = []
  let text = first
  let begun: { part: Part; html: string } | undefined
  for (const piece of marked) {
    const end = piece.indexOf(';')
    const part = kept.byNumber[Number(piece.slice(1, end))]!
    const rest = piece.slice(end + 1)
    if (begun && !piece.startsWith('-')) throw new Error('a kept part stands in another one')
    if (piece.startsWith('+')) {
      begun = { part, html: rest }
      continue
    }
    if (begun) part.text = new RenderedPart(begun.html)
    begun = undefined
    parts.push(part.text!)
    text += MARK + rest
  }
  if (kept.byNumber.length > PARTS_MAX) kept = nothing()
  return { text, hole: MARK, parts }
}
