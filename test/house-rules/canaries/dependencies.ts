import path from 'node:path'
import type { DependencyFindings } from '../../../tools/gates/deps.ts'

export const DEPENDENCY_SLICES = {
  offers: { about: 'contests', contracts: [], server: [], screens: [], shares: [] },
  'purchase/cart': {
    about: 'the cart',
    contracts: ['offers'],
    server: ['offers'],
    screens: ['offers'],
    shares: ['cart-slice.ts'],
  },
}

/** Forbidden imports with the rules that report them; the gate reports a cycle once. What is allowed, the project imports. */
const FORBIDDEN = `
src/features/purchase/cart/screens/cart-slice.ts | #client/api.ts |
src/features/purchase/cart/screens/cart-slice.ts | ./bad.tsx | purchase/cart: cart-slice.ts knows no screen
src/shared/bad.ts | #ui/button.tsx | shared stands alone
src/shared/bad.ts | node:fs | browser code runs without Node
src/draw-protocol/bad.ts | #shared/money.ts | the draw protocol stands alone
src/draw-protocol/bad.ts | node:fs | browser code runs without Node
src/ui/bad.tsx | #client/api.ts | ui knows no business
src/ui/bad.tsx | #i18n/server-translator.ts | ui knows no business; browser code reads compiled texts
src/i18n/bad.ts | #client/api.ts | i18n stands on the kernel
src/client/bad.ts | #features/purchase/cart/screens/cart-page.tsx | client knows no slice
src/client/bad-type.ts | type #features/purchase/cart/cart.contract.ts | client knows no slice
src/features/purchase/cart/server/calls.ts | ../cart.api.ts | calls are for screens
src/features/purchase/cart/bad.api.ts | #client/session.ts | purchase/cart: calls are made of contracts
src/features/offers/bad.api.ts | #client/session.ts | offers: calls are made of contracts
src/platform/bad.ts | type #features/purchase/cart/cart.contract.ts | platform knows no business
src/apps/site/bad.ts | type #features/purchase/cart/server/index.ts | app joins screens
src/apps/console/bad.ts | #features/purchase/cart/screens/cart-page.tsx | the console joins its screens
src/apps/console/bad.ts | #features/offers/console/list.tsx | the console joins its screens
src/features/offers/console/reach.ts | ./screens.ts | declarations are collected once
src/features/purchase/cart/console/reach.ts | ../../../offers/console/approval-kinds.tsx | declarations are collected once
src/console-kit/bad.ts | #apps/console/main.tsx | the kit knows no slice
src/console-kit/bad-type.ts | type #features/purchase/cart/cart.contract.ts | the kit knows no slice
src/features/offers/console/bad.tsx | #features/purchase/cart/screens/cart-page.tsx | offers: console stands on the kit
src/features/purchase/cart/console/bad.tsx | #platform/database.ts | purchase/cart: console stands on the kit
src/server/bad.ts | #features/offers/server/offers.repository.ts | src/server joins front doors
src/server/bad.ts | #apps/site/root.tsx | src/server joins front doors
src/features/offers/bad.rules.ts | #features/purchase/cart/cart.contract.ts | offers: contract and rules stay pure
src/features/offers/server/bad.ts | type #features/purchase/cart/server/index.ts | offers: server uses front doors
src/features/offers/screens/bad.tsx | type #features/offers/server/index.ts | offers: screens stay in front
src/features/offers/screens/bad.tsx | #features/purchase/cart/screens/cart-page.tsx | offers: screens stay in front
src/features/purchase/cart/bad.rules.ts | #client/api.ts | purchase/cart: contract and rules stay pure
src/features/purchase/cart/server/bad.ts | ../../../offers/server/offers.repository.ts | purchase/cart: server uses front doors
src/features/purchase/cart/screens/bad.tsx | #platform/database.ts | purchase/cart: screens stay in front
src/features/purchase/cart/screens/development.tsx | vitest | no development package at run time
emulators/paypal/bad.ts | ../../src/shared/money.ts | emulators share no code
src/features/purchase/cart/server/reach.ts | ../../../../../test/support/shop.ts | the product imports no emulator, test or tool; purchase/cart: server uses front doors
src/features/purchase/cart/server/reach.ts | ../../../../../db/story/sales.ts | the product loads a story when it tells it; purchase/cart: server uses front doors
src/features/purchase/cart/server/reach.ts | type ../../../../../db/story/people.ts | purchase/cart: server uses front doors
tools/bad.ts | #features/offers/server/offers.repository.ts | tools use front doors
src/shared/circle-a.ts | ./circle-b.ts | no circle
src/shared/circle-b.ts | ./circle-a.ts |
src/shared/lost.ts | #shared/gone.ts | everything resolves
`
const ORPHAN = 'src/shared/alone.ts'
const GONE = '#shared/gone.ts'

const breaches = FORBIDDEN.trim()
  .split('\n')
  .map((row) => {
    const [from = '', name = '', rules = ''] = row.split('|').map((cell) => cell.trim())
    return { from, name, rules: rules === '' ? [] : rules.split('; ') }
  })

/** The file that an import leads to, as the gate names it. */
function target(from: string, name: string): string {
  const bare = name.replace(/^type /, '')
  if (bare.startsWith('.')) return path.join(path.dirname(from), bare)
  if (bare === 'vitest') return 'node_modules/vitest/dist/index.js'
  return bare === GONE ? bare : bare.replace('#', 'src/').replace('node:', '')
}

const imports: Record<string, string[]> = { [ORPHAN]: [] }
for (const { from, name } of breaches) {
  const to = target(from, name)
  if (/^(src|test|db)\//.test(to)) imports[to] ??= []
  ;(imports[from] ??= []).push(name)
}

const statement = (to: string): string =>
  to.startsWith('type ') ? `import type {} from '${to.slice(5)}'` : `import '${to}'`

export const DEPENDENCY_FILES: Record<string, string> = {
  'slices.json': JSON.stringify(DEPENDENCY_SLICES),
  ...Object.fromEntries(
    Object.entries(imports).map(([file, names]) => [
      file,
      `${names.map(statement).join('\n')}\nexport const it = 1\n`,
    ]),
  ),
}

export const DEPENDENCY_BREACHES: DependencyFindings['broken'] = [
  ...breaches.flatMap(({ from, name, rules }) =>
    rules.map((rule) => ({ rule, from, to: target(from, name) })),
  ),
  { rule: 'no orphan', from: ORPHAN, to: ORPHAN },
]
