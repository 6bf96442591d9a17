(* JSON, as far as a certificate uses it: objects, lists and strings of ASCII.

   The reader takes time and memory in proportion to the text. It refuses what
   the format refuses: a number outside a string, a key that stands twice in an
   object, and any nesting deeper than a certificate has.                       *)

exception Malformed of string

type t =
  | Text of string
  | List of t list
  | Object of (string * t) list
  | Null
  | Boolean

let deepest = 32

let fail reason = raise (Malformed reason)

let hex_digit c =
  match c with
  | '0' .. '9' -> Char.code c - 48
  | 'a' .. 'f' -> Char.code c - 87
  | 'A' .. 'F' -> Char.code c - 55
  | _ -> fail "the file is not JSON"

(* Raise unless no key stands twice. *)
let require_unique pairs =
  let keys = List.sort compare (List.rev_map fst pairs) in
  let rec twice = function
    | a :: (b :: _ as rest) -> a = b || twice rest
    | _ -> false in
  if twice keys then fail "a key stands twice in the same object"

let parse text =
  let length = String.length text and at = ref 0 in
  let peek () = if !at < length then text.[!at] else '\000' in
  let rec skip_blanks () =
    match peek () with
    | ' ' | '\t' | '\n' | '\r' -> incr at; skip_blanks ()
    | _ -> () in
  let expect c = if peek () = c then incr at else fail "the file is not JSON" in
  let word w value =
    let size = String.length w in
    if !at + size <= length && String.sub text !at size = w then (at := !at + size; value)
    else fail "the file is not JSON" in
  let escaped buffer =
    let add c = Buffer.add_char buffer c in
    (match peek () with
     | ('"' | '\\' | '/') as c -> add c
     | 'b' -> add '\b' | 'f' -> add '\012' | 'n' -> add '\n' | 'r' -> add '\r' | 't' -> add '\t'
     | 'u' ->
       if !at + 4 >= length then fail "the file is not JSON";
       let digit i = hex_digit text.[!at + i] in
       let code = ((digit 1 * 16 + digit 2) * 16 + digit 3) * 16 + digit 4 in
       if code > 127 then fail "there is a character that no certificate has";
       add (Char.chr code); at := !at + 4
     | _ -> fail "the file is not JSON");
    incr at in
  let read_string () =
    expect '"';
    let buffer = Buffer.create 16 in
    let rec more () =
      if !at >= length then fail "the file is not JSON";
      match text.[!at] with
      | '"' -> incr at
      | '\\' -> incr at; escaped buffer; more ()
      | c when c < ' ' -> fail "the file is not JSON"
      | c when c > '~' -> fail "there is a character that no certificate has"
      | c -> Buffer.add_char buffer c; incr at; more () in
    more ();
    Buffer.contents buffer in
  (* the entries up to a closing bracket, each read by the function given *)
  let entries (type a) close (entry : unit -> a) : a list =
    incr at; skip_blanks ();
    if peek () = close then (incr at; []) else begin
      let rec more found =
        let found = entry () :: found in
        skip_blanks ();
        if peek () = ',' then (incr at; more found) else (expect close; List.rev found) in
      more []
    end in
  let rec value depth =
    if depth > deepest then fail "the file is nested too deeply";
    skip_blanks ();
    match peek () with
    | '"' -> Text (read_string ())
    | '[' -> List (entries ']' (fun () -> value (depth + 1)))
    | '{' ->
      let pair () =
        skip_blanks ();
        let key = read_string () in
        skip_blanks (); expect ':';
        (key, value (depth + 1)) in
      let pairs = entries '}' pair in
      require_unique pairs; Object pairs
    | 'n' -> word "null" Null
    | 't' -> word "true" Boolean
    | 'f' -> word "false" Boolean
    | '0' .. '9' | '-' | 'N' | 'I' -> fail "a number stands outside a string"
    | _ -> fail "the file is not JSON" in
  let whole = value 0 in
  skip_blanks ();
  if !at < length then fail "the file is not JSON";
  whole
