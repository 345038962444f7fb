/** The title of a page that can be read again. */
export const Title = ({ text, reload }: { text: string; reload: () => void }) => (
  <div class="title">
    <h1 title={text}>{text}</h1>
    <button type="button" class="quiet" onClick={reload}>
      Refresh
    </button>
  </div>
);
