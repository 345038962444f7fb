/** A text of the API in which the files of the documentation are links to its pages. */
const filePattern = /docs\/((?:[\w-]+\/)*([\w-]+))\.md/;

export function DocText({ text }: { text: string }) {
  const found = filePattern.exec(text);
  if (found === null) return <>{text}</>;
  const [file, page = '', name = ''] = found;
  return (
    <>
      {text.slice(0, found.index)}
      <a href={`/docs/${page}.html`} target="_blank" rel="noreferrer">
        {name.replaceAll('-', ' ')}
      </a>
      <DocText text={text.slice(found.index + file.length)} />
    </>
  );
}
