/** Rooms, which are slices and folders of `src/`, know each other one way; the pairs that do both ways are listed. */
import { IN_SLICE } from './slices.ts'

export interface Import {
  from: string
  to: string
}

/** Each pair in the order of the alphabet, with what holds it together (ADR 0120). */
export const PAIRS: Readonly<Record<string, string>> = {
  'draws objections': 'The page of a draw in the console shows its objections',
  'draws postal': 'The page of a draw in the console shows the count of its cards',
  'i18n shared': 'Errors and fields of the kernel name their messages, by type alone',
  'offers purchase/cart': 'The page of a contest puts tickets into the cart, which shows the contest',
  'offers purchase/refunds': 'The page of a contest in the console cancels it, which gives the money back',
  'purchase/orders purchase/refunds': 'The page of an order in the console refunds it',
}

const roomOf = (file: string): string | undefined =>
  IN_SLICE.exec(file)?.[1] ?? /^src\/([^/]+)\//.exec(file)?.[1]

/** Pairs that know each other both ways and are not listed, with an import of each direction, and listed ones that do not. */
export function pairFaults(imports: readonly Import[], listed: Readonly<Record<string, string>>): string[] {
  const first = new Map<string, Import>()
  for (const one of imports) {
    const [from, to] = [roomOf(one.from), roomOf(one.to)]
    const key = `${from} ${to}`
    if (from !== undefined && to !== undefined && from !== to && !first.has(key)) first.set(key, one)
  }
  const pairs = [...first.keys()].filter((key) => {
    const [from = '', to = ''] = key.split(' ')
    return from < to && first.has(`${to} ${from}`)
  })
  const shown = ({ from, to }: Import): string => `  ${from} -> ${to}`
  return [
    ...pairs
      .filter((key) => !Object.hasOwn(listed, key))
      .map((key) => {
        const [from = '', to = ''] = key.split(' ')
        const both = [first.get(key)!, first.get(`${to} ${from}`)!]
        return [`${from} and ${to} know each other both ways:`, ...both.map(shown)].join('\n')
      }),
    ...Object.keys(listed)
      .filter((key) => !pairs.includes(key))
      .map(
        (key) => `${key.replace(' ', ' and ')} do not know each other both ways: their line in PAIRS can go`,
      ),
  ]
}
