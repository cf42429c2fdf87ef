/** Asks for the token of a server that was started with one. */
import { useState } from 'react';
import { setToken } from '../api/client';

export function Token() {
  const [text, setText] = useState('');
  return (
    <form
      className="token"
      aria-label="Token"
      onSubmit={(event) => {
        event.preventDefault();
        setToken(text.trim());
        location.reload();
      }}
    >
      <p>This server was started with a token.</p>
      <input className="field" type="password" autoFocus aria-label="Token" placeholder="Token" value={text} autoComplete="current-password" onChange={(event) => setText(event.target.value)} />
      <button className="button primary" disabled={text.trim() === ''}>
        Open
      </button>
    </form>
  );
}
