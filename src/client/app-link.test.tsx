import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { Link, NavLink, StaticRouter } from 'react-router'
import { describe, expect, test } from 'vitest'
import { AppLink, AppNavLink } from './app-link.tsx'

/** The attributes of a link, sorted, and its text. */
function at(page: string, link: ReactNode): string[] {
  const markup = renderToString(<StaticRouter location={page}>{link}</StaticRouter>)
  const [, attributes = '', text = ''] = /^<a ([^>]*)>(.*)<\/a>$/.exec(markup) ?? []
  return [...(attributes.match(/[\w-]+="[^"]*"/g) ?? []).toSorted(), text]
}

describe('a link of the server', () => {
  test.each(['/', '/offers', '/login?next=%2Foffers%2Fa-b', '/register?code=X#form', '/offers/voil%C3%A0'])(
    'to %s is the same as that of React Router',
    (to) => {
      const common = { className: 'button', 'aria-label': 'Voir', children: 'Voir', to }
      const reference = <Link {...common} discover="none" />
      expect(at('/offers', <AppLink {...common} />)).toEqual(at('/offers', reference))
    },
  )

  test('has no attributes that only a browser needs', () => {
    const page = renderToString(
      <StaticRouter location="/">
        <AppLink to="/login" prefetch="none" state={{ email: 'a@b.example' }} onClick={() => undefined}>
          Voir
        </AppLink>
      </StaticRouter>,
    )
    expect(page).toBe('<a href="/login">Voir</a>')
  })
})

describe('an entry of a menu', () => {
  test.each([
    ['/', '/', true],
    ['/offers', '/', true],
    ['/offers', '/offers', false],
    ['/Offers', '/offers', false],
    ['/offers/aube', '/offers', false],
    ['/offers/aube', '/offers', true],
    ['/offersandmore', '/offers', false],
    ['/cart', '/cart', false],
  ])('on %s, to %s, with end: %s, is marked as by React Router', (page, to, end) => {
    const common = { className: 'row', children: 'Entrée', to, end }
    const reference = <NavLink {...common} discover="none" />
    expect(at(page, <AppNavLink {...common} />)).toEqual(at(page, reference))
  })
})
