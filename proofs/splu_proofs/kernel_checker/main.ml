(* splu-kernel-check FILE: one line, and an exit code.

   0 valid, 1 false, 2 unreadable, 3 not covered. With - instead of a file it
   reads the standard input.                                                   *)

let largest = 4_000_000   (* bytes of a certificate *)

let read name =
  if name <> "-" && (try (Unix.stat name).Unix.st_kind <> Unix.S_REG with Unix.Unix_error _ -> true) then
    raise (Sys_error "there is no such file");
  let channel = if name = "-" then stdin else open_in_bin name in
  set_binary_mode_in channel true;
  let buffer = Buffer.create 65536 in
  (try Buffer.add_channel buffer channel (largest + 1) with End_of_file -> ());
  if Buffer.length buffer > largest then
    raise (Certificate.Unreadable "the certificate is longer than 4000000 bytes");
  Buffer.contents buffer

let judge () =
  match Sys.argv with
  | [| _; name |] ->
    let sentence, holds = Certificate.check (read name) in
    if holds then (0, "valid: " ^ sentence) else (1, "false: the proved checker refuses it")
  | _ -> (2, "unreadable: usage: splu-kernel-check FILE")

let () =
  let code, line =
    try judge () with
    | Certificate.Refuted reason -> (1, "false: " ^ reason)
    | Certificate.Not_covered what -> (3, "not covered: no theorem is about " ^ what)
    | Certificate.Unreadable reason | Json.Malformed reason -> (2, "unreadable: " ^ reason)
    | Sys_error _ -> (2, "unreadable: the file cannot be read")
    | Stack_overflow | Out_of_memory -> (2, "unreadable: the certificate is too large")
    | _ -> (2, "unreadable: the certificate cannot be checked") in
  print_endline line;
  exit code
