import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { Link, NavLink, StaticRouter } from 'react-router'
import { describe, expect, test } from 'vitest'
import { AppLink, AppNavLink } from './app-link.tsx'

/** What a link on a page says: its attributes in one order, and its text. */
function at(page: string, link: ReactNode): string[] {
  const markup = renderToString(<StaticRouter location={page}>{link}</StaticRouter>)
  const [, attributes = '', text = ''] = /^<a ([^>]*)>(.*)<\/a>$/.exec(markup) ?? []
  return [...(attributes.match(/[\w-]+="[^"]*"/g) ?? []).toSorted(), text]
}

describe('a link that the server writes', () => {
  test.each(['/', '/offers', '/login?next=%2Foffers%2Fa-b', '/register?code=X#form', '/offers/voil%C3%A0'])(
    'to %s is what React Router itself would write',
    (to) => {
      const common = { className: 'button', 'aria-label': 'Voir', to }
      expect(at('/offers', <AppLink {...common}>Voir</AppLink>)).toEqual(
        at(
          '/offers',
          <Link {...common} discover="none">
            Voir
          </Link>,
        ),
      )
    },
  )

  test('says nothing of what only a browser does with it', () => {
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
  ])('on %s, to %s, only the page itself: %s, is marked as React Router would', (page, to, end) => {
    const common = { className: 'row', to, end }
    expect(at(page, <AppNavLink {...common}>Entrée</AppNavLink>)).toEqual(
      at(
        page,
        <NavLink {...common} discover="none">
          Entrée
        </NavLink>,
      ),
    )
  })
})
